package card

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Stayed is a visit in a list, without its pages and events.
type Stayed struct {
	Visitor key.ID
	Visit
}

// Place is a position in a list of visits. The zero Place is its top.
type Place struct {
	LastAt time.Time
	Visit  key.ID
}

// Place returns the position behind the visit.
func (s Stayed) Place() Place { return Place{s.LastAt, s.ID} }

// Latest returns visits of the site behind the place, limit at most. Those in which something happened last come first.
// Something happened in them since the one time, and nothing after the other; zero is no bound. Bots are left out.
func (cards *Cards) Latest(ctx context.Context, siteID int64, since, until time.Time, behind Place, limit int) ([]Stayed, error) {
	before, number := int64(math.MaxInt64), int64(math.MaxInt64)
	if behind != (Place{}) {
		before, number = behind.LastAt.UnixMilli(), cards.keys.Visits.Number(behind.Visit)
	}
	if !until.IsZero() && until.UnixMilli() <= before {
		before, number = until.UnixMilli(), 0
	}
	type row struct {
		Stayed
		number, visitor, startedAt, lastAt int64
	}
	rows, err := db.List(ctx, cards.db.Read(), func(r *row) []any {
		return append([]any{&r.number, &r.visitor, &r.startedAt, &r.lastAt, &r.Views, &r.UserAgent, &r.Language}, r.Source.Fields()...)
	}, `SELECT id, visitor_id, started_at, last_at, views, user_agent, language, `+source.Columns+` FROM visits
		WHERE site_id = $1 AND NOT bot AND last_at >= $2 AND last_at <= $3 AND (last_at < $3 OR id < $4) ORDER BY last_at DESC, id DESC LIMIT $5`,
		siteID, db.Millis(since), before, number, limit)
	if err != nil {
		return nil, fmt.Errorf("reading visits: %w", err)
	}
	visits := make([]Stayed, len(rows))
	for i, r := range rows {
		r.ID, r.Visitor, r.StartedAt, r.LastAt = cards.keys.Visits.ID(r.number), cards.keys.Visitors.ID(r.visitor), time.UnixMilli(r.startedAt), time.UnixMilli(r.lastAt)
		visits[i] = r.Stayed
	}
	return visits, nil
}
