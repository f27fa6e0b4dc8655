package page

import (
	"runtime/debug"
	"time"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Fault is a panic of our own over a page, which then went on as it came.
type Fault struct {
	// Place names the part of our work, or the loop that stood still. There are few of them.
	Place string
	// Cause is the panic's value.
	Cause any
	// Stack is where it happened.
	Stack []byte
}

// newFault describes a panic that has been recovered; place is the work that it ended.
func newFault(place string, cause any) *Fault {
	if exceeded, ok := cause.(steps.Exceeded); ok {
		place = exceeded.Loop
	}
	return &Fault{place, cause, debug.Stack()}
}

// guard runs our own work, so that a panic in it does not become the page's, and
// measures it where that is asked for. Nothing is written to the client in there: what handlers around us
// do is theirs.
func (r *Result) guard(place string, work func()) (ok bool) {
	var start time.Time
	if r.timed {
		start = time.Now()
	}
	defer func() {
		if r.timed {
			r.Spent += time.Since(start)
		}
		if cause := recover(); cause != nil {
			ok = false
			if r.Fault == nil {
				r.Fault = newFault(place, cause)
			}
		}
	}()
	work()
	return true
}
