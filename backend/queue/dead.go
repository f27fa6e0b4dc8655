package queue

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Dead is a job that is not tried any more.
type Dead struct {
	Job
	// Since is when it was given up, and Reason why.
	Since  time.Time
	Reason string
}

// Dead returns the dead jobs of a kind at the sites, the latest first, limit at most. before is the one behind which to
// go on; the zero value is the beginning.
func (q *Queue) Dead(ctx context.Context, kind string, sites scope.Sites, before Dead, limit int) ([]Dead, error) {
	since, id := int64(math.MaxInt64), int64(math.MaxInt64)
	if before.ID != 0 {
		since, id = before.Since.UnixMilli(), before.ID
	}
	type deadRow struct {
		row
		since  int64
		reason string
	}
	rows, err := db.List(ctx, q.db.Read(), func(r *deadRow) []any { return append(r.fields(), &r.since, &r.reason) },
		`SELECT `+columns+`, dead_at, reason FROM jobs WHERE dead_at <> 0 AND (dead_at, id) < ($1, $2)
			AND kind = $3 AND `+sites.SQL("site_id")+` ORDER BY dead_at DESC, id DESC LIMIT $4`,
		since, id, kind, limit)
	if err != nil {
		return nil, fmt.Errorf("reading dead jobs: %w", err)
	}
	dead := make([]Dead, len(rows))
	for i := range rows {
		dead[i] = Dead{rows[i].complete().Job, time.UnixMilli(rows[i].since), rows[i].reason}
	}
	return dead, nil
}

// Again has a dead job done after all. It tells whether there was one of the id.
func (q *Queue) Again(ctx context.Context, siteID, id int64) (found bool, err error) {
	return q.ofDead(ctx, siteID, id, `UPDATE jobs SET dead_at = 0, attempts = 0, due_at = 0`)
}

// Discard deletes a dead job for good. It tells whether there was one of the id.
func (q *Queue) Discard(ctx context.Context, siteID, id int64) (found bool, err error) {
	return q.ofDead(ctx, siteID, id, `DELETE FROM jobs`)
}

func (q *Queue) ofDead(ctx context.Context, siteID, id int64, change string) (found bool, err error) {
	err = q.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		changed, err := tx.Exec(ctx, change+` WHERE site_id = $1 AND id = $2 AND dead_at <> 0`, siteID, id)
		found = changed > 0
		tx.Wake(topic)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("changing a dead job: %w", err)
	}
	return found, nil
}

// Waiting is how many jobs of a kind at the sites are not done yet, dead ones left out, and since when the oldest
// waits.
func (q *Queue) Waiting(ctx context.Context, kind string, sites scope.Sites) (n int64, oldest time.Time, err error) {
	type counted struct{ n, oldest int64 }
	c, _, err := db.One(ctx, q.db.Read(), func(c *counted) []any { return []any{&c.n, &c.oldest} },
		`SELECT count(*), COALESCE(min(added_at), 0) FROM jobs WHERE dead_at = 0 AND kind = $1 AND `+sites.SQL("site_id"), kind)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("counting jobs: %w", err)
	}
	if c.n > 0 {
		oldest = time.UnixMilli(c.oldest)
	}
	return c.n, oldest, nil
}
