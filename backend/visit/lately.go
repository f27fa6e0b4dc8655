package visit

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Begun is how a visit began.
type Begun struct {
	At        time.Time
	UserAgent string
	source.Source
}

// Lately returns how the visitor's last visits began until the time, the latest first.
func (v *Visits) Lately(ctx context.Context, siteID int64, visitor ID, until time.Time, visits int) ([]Begun, error) {
	type row struct {
		Begun
		at int64
	}
	rows, err := db.List(ctx, v.db.Read(), func(r *row) []any { return append([]any{&r.at, &r.UserAgent}, r.Source.Fields()...) },
		`SELECT started_at, user_agent, `+source.Columns+` FROM visits WHERE site_id = $1 AND visitor_id = $2 AND started_at <= $3 ORDER BY started_at DESC LIMIT $4`,
		siteID, v.keys.Visitors.Number(visitor), until.UnixMilli(), visits)
	if err != nil {
		return nil, fmt.Errorf("reading a visitor's last visits: %w", err)
	}
	list := make([]Begun, len(rows))
	for i, r := range rows {
		list[i] = r.Begun
		list[i].At = time.UnixMilli(r.at)
	}
	return list, nil
}
