// Package telephony reads what telephone platforms tell of calls. It verifies who has
// told it and knows nothing of sites and visitors.
package telephony

import (
	"net/http"
	"time"
)

// Kind is what an event tells of a call.
type Kind string

// The kinds of events.
const (
	Start  Kind = "start"     // it rings
	Answer Kind = "answer"    // somebody has taken it
	End    Kind = "end"       // it is over
	Record Kind = "recording" // there is a recording of it
	Other  Kind = ""          // nothing that is kept
)

// Status is how a call has ended.
type Status string

// The ways in which a call ends.
const (
	Answered Status = "answered"
	Missed   Status = "missed"
	Busy     Status = "busy"
	Failed   Status = "failed"
)

// Untold stands for seconds that have not been told.
const Untold = -1

// The notes say what of an event was not taken as it came.
const (
	NoteCalled    = "called"    // the called number is none, and was left out
	NoteCaller    = "caller"    // the caller's number is none, and was left out
	NoteSeconds   = "seconds"   // a time in seconds was left out
	NoteRecording = "recording" // the recording's address is none that may be opened, and was left out
	NotePrice     = "price"     // the price was left out
	NoteAhead     = "ahead"     // the platform's clock is ahead; the service's own was taken
	NoteBehind    = "behind"    // the platform's clock is behind by more than a day; the service's own was taken
	NoteLate      = "late"      // it was told more than an hour after it had happened
)

// Notes are all of them.
var Notes = []string{NoteCalled, NoteCaller, NoteSeconds, NoteRecording, NotePrice, NoteAhead, NoteBehind, NoteLate}

// Event is what a platform tells of a call. Its texts are checked, and nothing is
// known of them but their form.
type Event struct {
	// Platform names the platform, Call the call there.
	Platform, Call string
	Kind           Kind
	// At is when it happened, by the platform's clock; zero when the platform does not tell.
	At time.Time
	// Called is the number that was called, Caller that of who called, both in digits
	// in international form. Empty when not told; Caller also when it is withheld.
	Called, Caller string
	// Status is told by End.
	Status Status
	// Talk and Wait are in seconds; [Untold] when not told. Wait is how long it rang.
	Talk, Wait int64
	// Recording is an address with http or https; mostly empty.
	Recording string
	// Price is a decimal with a point, Currency three letters (ISO 4217). Both may be
	// empty, Currency alone as well.
	Price, Currency string
	// Notes say what was left out.
	Notes []string
	// Progress is what is told of an order; then nothing else is told but Platform. It is nil
	// where none is spoken of.
	Progress *Progress
	// Connects says that the platform waits to hear which number to connect with.
	Connects bool
}

// Request is what a platform has sent.
type Request struct {
	// Route is one of the [Platform.Routes].
	Route string
	// URL is the whole public address, as the platform was given it.
	URL    string
	Header http.Header
	Body   []byte
}

// Reply is what a platform is told.
type Reply struct {
	Type string // of the content
	Body []byte
}

// Platform is a kind of telephone platform.
type Platform interface {
	// Name is under which its calls are stored.
	Name() string
	// Routes are the paths at which it calls the service, behind the prefix and
	// "calls/".
	Routes() []string
	// Read verifies the request and reads it. The error is a [Refusal]. Its code is [Forged]
	// unless the platform has signed the request.
	Read(r *Request, now time.Time) (Event, error)
	// Reply is what the platform is told once the event is stored. number is to be
	// connected with when the event asks for it, in digits in international form; it
	// is empty when there is none.
	Reply(r *Request, e Event, number string) Reply
}

// Refusal says why a request of a platform is not taken.
type Refusal struct {
	// Code is one of the codes below.
	Code string
	// Reason is a sentence for who has set up the platform. It repeats nothing of what
	// was sent.
	Reason string
}

func (r Refusal) Error() string { return r.Reason }

// The codes of refusals.
const (
	Forged    = "forged"    // no signature is one of the platform's
	Stale     = "stale"     // the signature is too old, or of the future: it may be replayed
	Malformed = "malformed" // it is the platform's, and cannot be read
)
