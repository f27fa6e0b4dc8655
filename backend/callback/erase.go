package callback

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Traces are a person's callbacks.
func (c *Callbacks) Traces() trace.Subject {
	const of = `site_id = $1 AND callback_id = $2`
	return trace.Subject{
		Find: findTraces,
		Tables: []trace.Table{
			{Name: "callback_steps", By: trace.Callback, Where: of,
				Texts: []string{"detail"}, Key: []string{"site_id", "callback_id", "n"}, Of: "callback_id", Clear: true},
			{Name: "callback_orders", By: trace.Callback, Where: of, Hidden: []string{"order_id"}},
			{Name: "callbacks", By: trace.Callback, Where: `site_id = $1 AND id = $2`, Hidden: []string{"order_id", "delivery"},
				Texts: []string{"url"}, Key: []string{"site_id", "id"}, Of: "id", Clear: true},
		},
	}
}

// findTraces finds callbacks by the number that is called, and by the visitor. A callback leads to its visitor.
func findTraces(ctx context.Context, from db.Queries, m trace.Mark) ([]trace.Mark, error) {
	var which string
	var args []any
	switch m.Kind {
	case trace.Phone, trace.Written:
		which, args = `phone = $1`, []any{m.Text}
	case trace.Visitor:
		which, args = `site_id = $1 AND visitor_id = $2 AND visitor_id <> 0`, []any{m.SiteID, m.ID}
	default:
		return nil, nil
	}
	type found struct{ site, id, visitor int64 }
	rows, err := db.List(ctx, from, func(f *found) []any { return []any{&f.site, &f.id, &f.visitor} }, `SELECT site_id, id, visitor_id FROM callbacks WHERE `+which, args...)
	if err != nil {
		return nil, fmt.Errorf("finding a person's callbacks: %w", err)
	}
	var marks []trace.Mark
	for _, r := range rows {
		marks = append(marks, trace.Mark{Kind: trace.Callback, SiteID: r.site, ID: r.id})
		if r.visitor != 0 {
			marks = append(marks, trace.Mark{Kind: trace.Visitor, SiteID: r.site, ID: r.visitor})
		}
	}
	return marks, nil
}
