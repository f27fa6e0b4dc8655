package call

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Traces says which rows belong to a person: calls.
func (c *Calls) Traces() trace.Subject {
	return trace.Subject{
		Find: c.findTraces,
		Tables: []trace.Table{
			{Name: "call_places", By: trace.Call, Where: `site_id = $1 AND id = $2`},
			{Name: "calls", By: trace.Call, Where: `site_id = $1 AND id = $2`,
				Texts: append([]string{"recording"}, source.WrittenColumns...), Key: []string{"site_id", "id"}, Of: "id", Clear: true},
		},
	}
}

// findTraces finds calls by the caller's number, and calls that are attributed to a visitor.
func (c *Calls) findTraces(ctx context.Context, from db.Queries, m trace.Mark) ([]trace.Mark, error) {
	var which string
	var args []any
	switch m.Kind {
	case trace.Phone, trace.Written:
		which, args = `caller = $1`, []any{m.Text}
	case trace.Visitor:
		which, args = `site_id = $1 AND visitor_id = $2 AND visitor_id <> 0`, []any{m.SiteID, m.ID}
	case trace.Lead:
		which, args = `site_id = $1 AND lead_id = $2 AND lead_id <> 0`, []any{m.SiteID, m.ID}
	default:
		return nil, nil
	}
	marks, err := db.List(ctx, from, func(m *trace.Mark) []any { return []any{&m.SiteID, &m.ID} }, `SELECT site_id, id FROM calls WHERE `+which, args...)
	if err != nil {
		return nil, fmt.Errorf("finding a person's calls: %w", err)
	}
	for i := range marks {
		marks[i].Kind = trace.Call
	}
	return marks, nil
}
