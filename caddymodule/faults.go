package caddymodule

import (
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/edge"
	"github.com/seed-3405227d/frontdesk/edge/post"
	pages "github.com/seed-3405227d/frontdesk/snippet/page"
)

// edgeObserver counts what the edge tells of.
type edgeObserver struct{ app *App }

func (edgeObserver) Passed(reason string) { pagesPassed.WithLabelValues(reason).Inc() }

func (edgeObserver) Arrived(arrival edge.Arrival) { arrived[arrival].Inc() }

func (edgeObserver) Form(outcome post.FormOutcome) { forms.WithLabelValues(string(outcome)).Inc() }

func (edgeObserver) Found(outcome post.FoundOutcome) { found.WithLabelValues(string(outcome)).Inc() }

func (o edgeObserver) Page(r pages.Result) {
	switch counter := passed[r.Outcome]; {
	case r.Outcome == pages.Woven:
		pagesWoven.Inc()
	case counter != nil:
		counter.Inc()
	default: // a reason of the edge's
		o.Passed(string(r.Outcome))
	}
	if r.Numbers {
		pagesNumbered.Inc()
	}
	if r.Unselected {
		pagesUnselected.Inc()
	}
	if r.Crowded {
		pagesCrowded.Inc()
	}
	if f := r.Fault; f != nil {
		o.Fault(f.Place, f.Cause, f.Stack)
	}
	if r.Spent > 0 {
		pageTime.Observe(r.Spent.Seconds())
	}
}

// Fault logs the first at each place, of which there are few, with its stack.
func (o edgeObserver) Fault(place string, cause any, stack []byte) {
	faults.WithLabelValues(place).Inc()
	if _, seen := o.app.service.faults.LoadOrStore(place, true); !seen {
		o.app.logger.Error("recovered from a panic, further ones at this place are only counted",
			zap.String("place", place), zap.Any("cause", cause), zap.ByteString("stack", stack))
	}
}

// Interface guards
var _ edge.Observer = edgeObserver{}
