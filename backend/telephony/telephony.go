// Package telephony reads what telephone platforms report about calls, and sends them orders to call people back. It
// verifies who has sent a report. It does not know sites or visitors. Package call asks it what an event means, and
// package callback gives it orders.
package telephony

import (
	"net/http"
	"time"
)

// SIP is the name of the platform that redirects calls to tracking numbers by SIP. It hears nothing of a redirected call.
const SIP = "sip"

// Kind says what an event reports about a call.
type Kind string

// The kinds of events.
const (
	Start  Kind = "start"     // it rings
	Answer Kind = "answer"    // somebody has answered
	End    Kind = "end"       // it has ended
	Record Kind = "recording" // there is a recording of it
	Other  Kind = ""          // nothing that is stored
)

// Status says how a call has ended.
type Status string

// The ways in which a call ends.
const (
	Answered Status = "answered"
	Missed   Status = "missed"
	Busy     Status = "busy"
	Failed   Status = "failed"
)

// Untold stands for seconds that were not reported.
const Untold = -1

// The notes say what was left out of an event, or changed.
const (
	NoteCalled    = "called"    // the called number is not a number, and was left out
	NoteCaller    = "caller"    // the caller's number is not a number, and was left out
	NoteSeconds   = "seconds"   // a time in seconds was left out
	NoteRecording = "recording" // the recording's address must not be opened, and was left out
	NotePrice     = "price"     // the price was left out
	NoteAhead     = "ahead"     // the platform's clock is ahead; the service's own time counts
	NoteBehind    = "behind"    // the platform's clock is more than a day behind; the service's own time counts
	NoteLate      = "late"      // it was reported more than an hour after it had happened
)

// Notes are all notes.
var Notes = []string{NoteCalled, NoteCaller, NoteSeconds, NoteRecording, NotePrice, NoteAhead, NoteBehind, NoteLate}

// Event is what a platform reports about a call. The form of its texts has been checked, and nothing else.
type Event struct {
	// Platform is the platform's name, and Call its id of the call.
	Platform, Call string
	Kind           Kind
	// At is when it happened, by the platform's clock. It is zero if the platform does not say.
	At time.Time
	// Called is the number that was called, and Caller the number of the caller, as digits in international form. They
	// are empty if they were not reported. Caller is also empty if it is withheld.
	Called, Caller string
	// Status comes with End.
	Status Status
	// Talk and Wait are in seconds, or [Untold]. Wait is how long it rang.
	Talk, Wait int64
	// Recording is an address with http or https. It is usually empty.
	Recording string
	// Price is a decimal number with a point, and Currency has three letters (ISO 4217). Both may be empty, or Currency
	// alone.
	Price, Currency string
	// Notes say what was left out.
	Notes []string
	// Progress is a report about an order. The event then has only Platform besides. It is nil for other events.
	Progress *Progress
	// Connects says that the platform waits for the number to connect with.
	Connects bool
}

// Request is what a platform has sent.
type Request struct {
	// Route is one of the [Platform.Routes].
	Route string
	// URL is the complete public address, as the platform knows it.
	URL    string
	Header http.Header
	Body   []byte
}

// Reply is the answer to a platform.
type Reply struct {
	Type string // content type
	Body []byte
}

// Platform is a kind of telephone platform.
type Platform interface {
	// Name is the name under which its calls are stored.
	Name() string
	// Routes are the paths to which it sends requests, after the prefix and "calls/".
	Routes() []string
	// Read verifies the request and reads it. The error is a [Refusal]. Its code is [Forged] unless the platform has
	// signed the request.
	Read(r *Request, now time.Time) (Event, error)
	// Reply returns the answer after the event has been stored. number is the number to connect with if the event asks
	// for it, as digits in international form, or empty if there is none.
	Reply(r *Request, e Event, number string) Reply
}

// Refusal says why a request of a platform is refused.
type Refusal struct {
	// Code is one of the codes below.
	Code string
	// Reason is a sentence for those who have set up the platform. It repeats nothing that was sent.
	Reason string
}

func (r Refusal) Error() string { return r.Reason }

// The codes of refusals.
const (
	Forged    = "forged"    // no signature is the platform's
	Stale     = "stale"     // the signature is too old or from the future: it may be a replay
	Malformed = "malformed" // it comes from the platform and cannot be read
)
