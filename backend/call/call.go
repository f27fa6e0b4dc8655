// Package call keeps telephone calls: what a platform tells of one, and whose call it is. It owns the calls and the rules
// by which a caller is found among the visitors. The platforms' route gives it events; the console and package notify
// ask it for calls.
package call

import (
	"time"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

// Told is the kind of the journal's entry for an event of a call. Its subject is the call. Its data holds only the
// event and the platform: {"event","platform"}. The event is [BecameALead] when the call has become a lead. [Calls.Get]
// returns who has called.
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
	// LeadID is the lead of the same site that the call has become, or 0.
	LeadID int64
	// First says that no earlier call from this caller to the site is known. It is false if the caller is withheld.
	First bool

	Finding
}

// State is the state of a call.
type State string

// The states. The state of an ended call is its [telephony.Status].
const (
	Ringing State = "ringing"
	Talking State = "talking"
	// Redirected is the state of a call that was redirected by SIP, and of which nobody has reported more.
	Redirected State = "redirected"
	Endless    State = "endless" // its end has not been reported for hours
)

// Lost says whether the call is over and nobody has spoken.
func (c Call) Lost() bool { return c.Status != "" && c.Status != telephony.Answered }

// endless is how long after the last event a call is taken to go on.
const endless = 4 * time.Hour

// State returns the call's state at the time now.
func (c Call) State(now time.Time) State {
	switch {
	case c.Status != "":
		return State(c.Status)
	case c.Platform == telephony.SIP && c.AnsweredAt.IsZero():
		return Redirected
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
	case c.Lost():
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
	case c.Lost():
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
