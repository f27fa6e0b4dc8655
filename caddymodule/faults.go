package caddymodule

import (
	"context"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/health"
	"github.com/seed-3405227d/frontdesk/caddymodule/metrics"
	"github.com/seed-3405227d/frontdesk/edge"
	pages "github.com/seed-3405227d/frontdesk/snippet/page"
)

func init() {
	metrics.Use(metrics.States{Exchange: exchangeState, Spool: spoolState, Received: receivedState, Limits: limitState, Reasons: func() []health.Reason { return healthNow(context.Background()).Reasons }})
}

// edgeObserver counts what the edge tells of, and logs its panics.
type edgeObserver struct {
	metrics.Edge
	app *App
}

func (o edgeObserver) Page(site string, r pages.Result) {
	o.Edge.Page(site, r)
	if f := r.Fault; f != nil {
		o.Fault(f.Place, f.Cause, f.Stack)
	}
}

// Fault logs the first at each place, of which there are few, with its stack.
func (o edgeObserver) Fault(place string, cause any, stack []byte) {
	metrics.Fault(place)
	if _, seen := o.app.service.faults.LoadOrStore(place, true); !seen {
		o.app.logger.Error("recovered from a panic, further ones at this place are only counted",
			zap.String("place", place), zap.Any("cause", cause), zap.ByteString("stack", stack))
	}
}

// Interface guards
var _ edge.Observer = edgeObserver{}
