package visit

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Known is a visitor whose telephone number is known.
type Known struct {
	Visitor ID
	// Visit is the visitor's latest visit.
	Visit ID
}

// OfPhone returns at most limit visitors of the site who have left the number. digits are in international form. The
// visitor with the latest visit comes first. A number with an extension does not count, since it belongs to a whole
// house.
func (v *Visits) OfPhone(ctx context.Context, from db.Queries, siteID int64, digits string, limit int) ([]Known, error) {
	type row struct{ visitor, visit int64 }
	rows, err := db.List(ctx, from, func(r *row) []any { return []any{&r.visitor, &r.visit} },
		`SELECT v.id, v.visit_id FROM contacts AS c JOIN visitors AS v ON v.site_id = c.site_id AND v.id = c.visitor_id
			WHERE c.site_id = $1 AND c.value = $2 AND c.kind = 'phone' ORDER BY v.visit_id DESC LIMIT $3`, siteID, digits, limit)
	if err != nil {
		return nil, fmt.Errorf("finding visitors by their phone: %w", err)
	}
	known := make([]Known, len(rows))
	for i, r := range rows {
		known[i] = Known{v.visitors.id(r.visitor), v.visits.id(r.visit)}
	}
	return known, nil
}

// SourceOfTx does what [Visits.SourceOf] does, in a transaction. It returns the zero source if there is no such
// visit.
func (v *Visits) SourceOfTx(ctx context.Context, from db.Queries, siteID int64, visit ID) (source.Source, error) {
	found, _, err := db.One(ctx, from, (*source.Source).Fields, `SELECT `+source.Columns+` FROM visits WHERE site_id = $1 AND id = $2`,
		siteID, v.visits.number(visit))
	if err != nil {
		return source.Source{}, fmt.Errorf("reading a source: %w", err)
	}
	return found, nil
}
