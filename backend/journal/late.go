package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Late is a named reader that has not kept up.
type Late struct {
	Name  string
	Since time.Time // when the entry was made that it should have read first
}

// Late returns the readers for which an entry has waited longer than that. Names that nobody has read under for a day are
// of programs that are gone.
func (j *Journal) Late(ctx context.Context, longer time.Duration) (late []Late, err error) {
	type row struct {
		name string
		at   int64
	}
	now := db.Clock(j.db.Engine())
	rows, err := db.List(ctx, j.db.Read(), func(r *row) []any { return []any{&r.name, &r.at} }, `SELECT * FROM (SELECT r.name,
			(SELECT e.at FROM journal e WHERE `+j.place(">", "r.tx", "r.seq")+` ORDER BY e.tx, e.seq LIMIT 1) AS at FROM journal_readers r WHERE r.seen_at > `+now+` - $1) AS next
		WHERE at < `+now+` - $2 ORDER BY name`, (24 * time.Hour).Milliseconds(), longer.Milliseconds())
	if err != nil {
		return nil, fmt.Errorf("looking how far readers of the journal have come: %w", err)
	}
	for _, r := range rows {
		late = append(late, Late{r.name, time.UnixMilli(r.at)})
	}
	return late, nil
}
