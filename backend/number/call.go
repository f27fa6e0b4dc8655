package number

import (
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Told is the kind of the journal's entry for what was told of a call. Its subject is the
// call, and its data says no more than the event and the platform: {"event","platform"}.
// Who called is read with [Calls.Get].
const Told = "call.told"

// Call is a telephone call, as far as its platform has told of it.
type Call struct {
	// SiteID is 0 while it is not known whose number was called.
	SiteID, ID int64
	// Platform and PlatformID are what the platform calls it.
	Platform, PlatformID string
	// Called and Caller are digits in international form. Caller is empty when it is
	// withheld.
	Called, Caller string
	// StartedAt is when it began to ring, to the millisecond, by the platform's clock
	// within the bounds of the service's own. StartTold: it was told, and not concluded
	// from what came later.
	StartedAt time.Time
	StartTold bool
	// AnsweredAt and EndedAt are zero when they have not been told.
	AnsweredAt, EndedAt time.Time
	// Status is empty until the end was told.
	Status telephony.Status
	// Talk and Wait are in seconds as they were told, or [telephony.Untold]. See
	// [Call.Talked] and [Call.Waited].
	Talk, Wait int64
	// Recording, Price and Currency are as in [telephony.Event].
	Recording, Price, Currency string
	// Notes say what is doubtful: constants of telephony with spaces between them.
	Notes string
	// ToldAt is when something was told last.
	ToldAt time.Time
	// First says that no earlier call from this number to the site is known. It is false
	// for a caller who is not shown.
	First bool

	Finding
}

// Finding says who called, as far as that is known, and from where that is known.
type Finding struct {
	Reason     Reason
	Confidence Confidence
	// Replaces is the printed number that the called one stands for. Called itself, if it
	// is the printed one. Empty when not known.
	Replaces string
	// Conditions are those of a static tracking number, such as "utm_source=news*".
	Conditions string
	// Visitor and Session are 0 when not known, then Source is empty.
	Visitor, Session visit.ID
	Source           visit.Source
}

// State is how a call stands.
type State string

// The states. Those of an ended call are its [telephony.Status].
const (
	Ringing State = "ringing"
	Talking State = "talking"
	Endless State = "endless" // nobody has told its end for hours
)

// endless is after how long without a word a call is not taken for going on.
const endless = 4 * time.Hour

// State is how the call stands at the time.
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

// Talked is how long it was spoken, if that is known. A call that nobody has answered
// was spoken for no time.
func (c Call) Talked() (time.Duration, bool) {
	switch {
	case c.Status != "" && c.Status != telephony.Answered:
		return 0, true
	case c.Talk != telephony.Untold:
		return time.Duration(c.Talk) * time.Second, true
	}
	return between(c.AnsweredAt, c.EndedAt)
}

// Waited is how long it rang, if that is known.
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
	// ahead is how far a platform's clock may be ahead without a word about it.
	ahead = time.Minute
	// late is how old what is told may be without a word about it. Platforms repeat for a
	// day or more what they could not deliver, so it may be true all the same.
	late = time.Hour
	// behind is how old it may be at most.
	behind = 24 * time.Hour
)

// clocked is the time of an event by a clock that may be wrong, within the bounds of the
// service's own, and a note when it is doubtful.
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

// With is what is known of the call after the event, which was heard of at now. Events
// may come in any order and again: one that is known changes nothing but ToldAt.
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
		if at.Equal(c.ToldAt) && c.Status != "" { // by our clock each repetition would be a later one
			at = c.EndedAt
		}
		if !at.Before(c.EndedAt) { // the last word counts
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

// begun notes when the call began, by an event that was at that time.
func (c *Call) begun(e telephony.Event, at time.Time) {
	isStart := e.Kind == telephony.Start
	switch {
	case isStart && !c.StartTold:
		c.StartedAt, c.StartTold = at, true
		return
	case isStart != c.StartTold:
		return // what was told counts more than what can be concluded
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

// firstTold is the first of the seconds that has been told.
func firstTold(first, second int64) int64 {
	if first != telephony.Untold {
		return first
	}
	return second
}

// same tells whether the two say the same of the call, whenever it was told.
func (c Call) same(other Call) bool {
	c.ToldAt, c.First = other.ToldAt, other.First
	return c == other
}

// moment is the time as it is stored.
func moment(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()) }

// millis are the milliseconds since 1970; 0 for no time.
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
