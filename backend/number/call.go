package number

import (
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Told is the kind of the journal's entry for an event of a call. Its subject is the call. Its data holds only the
// event and the platform: {"event","platform"}. [Calls.Get] returns who has called.
const Told = "call.told"

// Call is a telephone call, as far as its platform has reported it.
type Call struct {
	// SiteID is 0 while no site's number is known to be called.
	SiteID, ID int64
	// Platform and PlatformID are the platform, and its identifier of the call.
	Platform, PlatformID string
	// Called and Caller are digits in international form. Caller is empty if it is withheld.
	Called, Caller string
	// StartedAt is when the call began to ring, to the millisecond, by the platform's clock within the bounds of the
	// service's own. StartTold says that the platform has reported the start. Otherwise StartedAt is concluded from
	// later events.
	StartedAt time.Time
	StartTold bool
	// AnsweredAt and EndedAt are zero if they have not been reported.
	AnsweredAt, EndedAt time.Time
	// Status is empty until the end is reported.
	Status telephony.Status
	// Talk and Wait are in seconds as reported, or [telephony.Untold]. See [Call.Talked] and [Call.Waited].
	Talk, Wait int64
	// Recording, Price and Currency are as in [telephony.Event].
	Recording, Price, Currency string
	// Notes say what is doubtful. They are constants of telephony, separated by spaces.
	Notes string
	// ToldAt is when the last event was received.
	ToldAt time.Time
	// First says that no earlier call from this caller to the site is known. It is false if the caller is withheld.
	First bool

	Finding
}

// Finding says who has called, and from which source, as far as that is known.
type Finding struct {
	Reason     Reason
	Confidence Confidence
	// Replaces is the printed number that the called number stands for, or Called if that is printed itself. It is
	// empty if that is not known.
	Replaces string
	// Conditions are the conditions of a static tracking number, such as "utm_source=news*".
	Conditions string
	// Visitor and Session are 0 if they are not known. Then Source is empty.
	Visitor, Session visit.ID
	Source           visit.Source
}

// State is the state of a call.
type State string

// The states. The state of an ended call is its [telephony.Status].
const (
	Ringing State = "ringing"
	Talking State = "talking"
	Endless State = "endless" // its end has not been reported for hours
)

// endless is how long after the last event a call is taken to go on.
const endless = 4 * time.Hour

// State returns the call's state at the time now.
func (c Call) State(now time.Time) State {
	switch {
	case c.Status != "":
		return State(c.Status)
	case now.Sub(c.StartedAt) > endless && now.Sub(c.ToldAt) > endless:
		return Endless
	case !c.AnsweredAt.IsZero():
		return Talking
	}
	return Ringing
}

// Talked returns how long people spoke. ok is false if that is not known. Nobody spoke in a call that was not answered.
func (c Call) Talked() (time.Duration, bool) {
	switch {
	case c.Status != "" && c.Status != telephony.Answered:
		return 0, true
	case c.Talk != telephony.Untold:
		return time.Duration(c.Talk) * time.Second, true
	}
	return between(c.AnsweredAt, c.EndedAt)
}

// Waited returns how long the call rang. ok is false if that is not known.
func (c Call) Waited() (time.Duration, bool) {
	switch {
	case c.Wait != telephony.Untold:
		return time.Duration(c.Wait) * time.Second, true
	case !c.StartTold:
		return 0, false
	case c.Status != "" && c.Status != telephony.Answered:
		return between(c.StartedAt, c.EndedAt)
	}
	return between(c.StartedAt, c.AnsweredAt)
}

func between(from, to time.Time) (time.Duration, bool) {
	if from.IsZero() || to.IsZero() || to.Before(from) {
		return 0, false
	}
	return to.Sub(from), true
}

const (
	// ahead is how far a platform's clock may be ahead without a note.
	ahead = time.Minute
	// late is how old an event may be without a note. Platforms repeat events that they could not deliver for a day or
	// more, so an older time may be right.
	late = time.Hour
	// behind is how old an event may be at most.
	behind = 24 * time.Hour
)

// clocked returns the time of an event, within the bounds of the service's clock, since the platform's clock may be
// wrong. note is not empty if the time is doubtful.
func clocked(told, now time.Time) (at time.Time, note string) {
	untold := told.IsZero()
	told, now = moment(told), moment(now)
	switch passed := now.Sub(told); {
	case untold:
		return now, ""
	case passed < -ahead:
		return now, telephony.NoteAhead
	case passed < 0:
		return now, ""
	case passed > behind:
		return now, telephony.NoteBehind
	case passed > late:
		return told, telephony.NoteLate
	}
	return told, ""
}

// With returns the call after the event e, which was received at now. Events may come in any order, and again. An event
// that is known changes only ToldAt.
func (c Call) With(e telephony.Event, now time.Time) Call {
	if c.Platform == "" {
		c = Call{Platform: e.Platform, PlatformID: e.Call, Talk: telephony.Untold, Wait: telephony.Untold}
	}
	at, doubt := clocked(e.At, now)
	c.ToldAt = moment(now)
	c.begun(e, at)
	if c.Called == "" {
		c.Called = e.Called
	}
	if c.Caller == "" {
		c.Caller = e.Caller
	}
	switch e.Kind {
	case telephony.Answer:
		if c.AnsweredAt.IsZero() || at.Before(c.AnsweredAt) {
			c.AnsweredAt = at
		}
	case telephony.End:
		if at.Equal(c.ToldAt) && c.Status != "" { // by the service's clock, each repetition would be a later end
			at = c.EndedAt
		}
		if !at.Before(c.EndedAt) { // the latest end counts
			c.EndedAt, c.Status = at, e.Status
			c.Talk, c.Wait = firstTold(e.Talk, c.Talk), firstTold(e.Wait, c.Wait)
		}
	}
	c.Talk, c.Wait = firstTold(c.Talk, e.Talk), firstTold(c.Wait, e.Wait)
	if e.Recording != "" {
		c.Recording = e.Recording
	}
	if e.Price != "" || e.Currency != "" {
		c.Price, c.Currency = e.Price, e.Currency
	}
	notes := append(strings.Fields(c.Notes+" "+doubt), e.Notes...)
	slices.Sort(notes)
	c.Notes = strings.Join(slices.Compact(notes), " ")
	return c
}

// begun sets when the call began, by an event at the time at.
func (c *Call) begun(e telephony.Event, at time.Time) {
	isStart := e.Kind == telephony.Start
	switch {
	case isStart && !c.StartTold:
		c.StartedAt, c.StartTold = at, true
		return
	case isStart != c.StartTold:
		return // a reported start counts more than a concluded one
	}
	if !isStart {
		at = at.Add(-time.Duration(max(e.Wait, 0)) * time.Second)
		if e.Kind == telephony.End && e.Status == telephony.Answered {
			at = at.Add(-time.Duration(max(e.Talk, 0)) * time.Second)
		}
	}
	if c.StartedAt.IsZero() || at.Before(c.StartedAt) {
		c.StartedAt = at
	}
}

// firstTold returns the first of the two durations that was reported.
func firstTold(first, second int64) int64 {
	if first != telephony.Untold {
		return first
	}
	return second
}

// same says whether the two calls are equal but for ToldAt and First.
func (c Call) same(other Call) bool {
	c.ToldAt, c.First = other.ToldAt, other.First
	return c == other
}

// moment returns the time as it is stored, to the millisecond.
func moment(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()) }

// millis returns the milliseconds since 1970, or 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(at int64) (t time.Time) {
	if at != 0 {
		t = time.UnixMilli(at)
	}
	return t
}
