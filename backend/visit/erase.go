package visit

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Traces says which rows belong to a person's visits. The visitor's row is erased first, so that nothing more is stored
// for the visitor.
func (v *Visits) Traces() trace.Subject {
	visitor := func(id int64) int64 { return v.keys.Visitors.Number(ID(id)) }
	visit := func(id int64) int64 { return v.keys.Visits.Number(ID(id)) }
	visitors := func(number int64) int64 { return int64(v.keys.Visitors.ID(number)) }
	visits := func(number int64) int64 { return int64(v.keys.Visits.ID(number)) }
	views := func(number int64) int64 { return int64(v.keys.Views.ID(number)) }
	of := map[string]func(int64) int64{"visitor_id": visitors, "visit_id": visits, "view_id": views}
	const ofVisitor, ofVisit = `site_id = $1 AND visitor_id = $2`, `site_id = $1 AND visit_id = $2`
	return trace.Subject{
		Find: v.findTraces,
		Tables: []trace.Table{
			{Name: "visitors", By: trace.Visitor, Where: `site_id = $1 AND id = $2`, ID: visitor, Hidden: []string{"arrived", "nonce", "marked", "crossed"},
				Public: map[string]func(int64) int64{"id": visitors, "visit_id": visits}, Texts: []string{"name"}, Key: []string{"site_id", "id"}, Of: "id", Clear: true},
			{Name: "contacts", By: trace.Visitor, Where: ofVisitor, ID: visitor, Public: of,
				Texts: []string{"value", "written"}, Key: []string{"site_id", "visitor_id", "kind", "value"}, Of: "visitor_id"},
			{Name: "properties", By: trace.Visitor, Where: ofVisitor, ID: visitor, Public: of,
				Texts: []string{"name", "value"}, Key: []string{"site_id", "visitor_id", "name"}, Of: "visitor_id"},
			{Name: "stored_texts", By: trace.Visitor, Where: ofVisitor, ID: visitor, Public: of, Hidden: []string{"lane"}},
			{Name: "user_events", By: trace.Visit, Where: ofVisit, ID: visit, Public: of,
				Texts: []string{"category", "action", "name", "value"}, Key: []string{"site_id", "visit_id", "id"}, Of: "visit_id"},
			{Name: "views", By: trace.Visit, Where: ofVisit, ID: visit,
				Public: map[string]func(int64) int64{"id": views, "visitor_id": visitors, "visit_id": visits},
				Texts:  []string{"url", "referrer", "title"}, Key: []string{"site_id", "visit_id", "id"}, Of: "visit_id", Clear: true},
			{Name: "presences", By: trace.Visit, Where: ofVisit, ID: visit, Public: of},
			{Name: "visits", By: trace.Visit, Where: `site_id = $1 AND id = $2`, ID: visit, Hidden: []string{"recent"},
				Public: map[string]func(int64) int64{"id": visits, "visitor_id": visitors, "view_id": views},
				Texts:  append([]string{"campaign", "user_agent"}, source.WrittenColumns...), Key: []string{"site_id", "id"}, Of: "id", Clear: true},
		},
	}
}

// findTraces finds visitors by their contacts, and the visits of visitors.
func (v *Visits) findTraces(ctx context.Context, from db.Queries, m trace.Mark) ([]trace.Mark, error) {
	var query string
	args := []any{m.Text}
	switch m.Kind {
	case trace.Phone:
		// An extension may follow the number.
		query = `SELECT site_id, visitor_id FROM contacts WHERE kind = 'phone' AND (lower(value) = $1 OR value LIKE $2)`
		args = append(args, contact.ExtensionsLike(m.Text))
	case trace.Written:
		query, args[0] = `SELECT site_id, visitor_id FROM contacts WHERE kind = 'phone' AND lower(value) = $1`, contact.WithoutCountry(m.Text)
	case trace.Email:
		query = `SELECT site_id, visitor_id FROM contacts WHERE kind = 'email' AND lower(value) = lower($1)`
	case trace.Visitor:
		query = `SELECT site_id, id FROM visits WHERE site_id = $1 AND visitor_id = $2`
		args = []any{m.SiteID, v.keys.Visitors.Number(ID(m.ID))}
	default:
		return nil, nil
	}
	marks, err := db.List(ctx, from, func(m *trace.Mark) []any { return []any{&m.SiteID, &m.ID} }, query, args...)
	if err != nil {
		return nil, fmt.Errorf("finding a person's visits: %w", err)
	}
	for i := range marks {
		if m.Kind == trace.Visitor {
			marks[i].Kind, marks[i].ID = trace.Visit, int64(v.keys.Visits.ID(marks[i].ID))
		} else {
			marks[i].Kind, marks[i].ID = trace.Visitor, int64(v.keys.Visitors.ID(marks[i].ID))
		}
	}
	return marks, nil
}
