package page

import (
	"time"

	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

// Outcome is what became of a page. The values serve as labels of metrics; there
// are no others.
type Outcome string

// Woven is a page that carries the insertion code. All others passed without, for
// the reason named.
const (
	Woven           Outcome = "woven"
	Method          Outcome = "method"           // neither a visit nor the answer to a form
	Upgrade         Outcome = "upgrade"          // to another protocol
	Range           Outcome = "range"            // the answer is a part
	FragmentRequest Outcome = "fragment_request" // a script or another element asked, not a visitor
	Frame           Outcome = "frame"            // the page is shown inside another
	Status          Outcome = "status"           // nothing that is shown: a redirection, no content
	NotHTML         Outcome = "not_html"
	Attachment      Outcome = "attachment"   // a download
	NoTransform     Outcome = "no_transform" // Cache-Control forbids changes
	Encoding        Outcome = "encoding"     // a content coding that cannot be undone here
	Charset         Outcome = "charset"      // an encoding in which ASCII cannot be inserted
	CSP             Outcome = "csp"          // the page's Content Security Policy forbids the code
	Fragment        Outcome = "fragment"     // not a document, but a part of one
	Frameset        Outcome = "frameset"
	NoPlace         Outcome = "no_place" // the document has none, or it is not certain
	Already         Outcome = "already"  // the page carries the code
	Data            Outcome = "data"     // no page, but what a framework fetches instead; its numbers were looked for
	Head            Outcome = "head"     // the headers of a page that may be woven
	Empty           Outcome = "empty"    // no response was written, or it went another way
	Gone            Outcome = "gone"     // the client left before the page's end
	Crowded         Outcome = "crowded"  // too much of other pages is held
	Failed          Outcome = "error"    // the origin failed, or weaving did
)

// Outcomes are all values of Outcome.
var Outcomes = []Outcome{
	Woven, Method, Upgrade, Range, FragmentRequest, Frame, Status, NotHTML, Attachment, NoTransform, Encoding,
	Charset, CSP, Fragment, Frameset, NoPlace, Already, Data, Head, Empty, Gone, Crowded, Failed,
}

// Result says what became of a page.
type Result struct {
	Outcome Outcome
	// Spent is how long that took us, the origin and the client not counted. It is measured where [Visit.Timed] is set.
	Spent time.Duration
	// Numbers says that the page was searched for numbers to be replaced, and
	// Unselected that it went out before its selectors could be applied.
	Numbers, Unselected bool
	// Replaced says that a number was replaced in the page.
	Replaced bool
	// Crowded says that the page went out without something, since all requests
	// together hold as much of their pages as they may.
	Crowded bool
	// Fault is the first panic of our own over the page, or nil.
	Fault *Fault

	timed bool // Spent is asked for
}

// outcomeOf translates the verdicts under which a page passes.
func outcomeOf(v head.Verdict) Outcome {
	switch v {
	case head.Fragment:
		return Fragment
	case head.Frameset:
		return Frameset
	case head.Charset:
		return Charset
	case head.Already:
		return Already
	case head.Policy:
		return CSP
	}
	return NoPlace
}
