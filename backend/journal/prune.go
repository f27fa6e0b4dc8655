package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

const (
	// KeepFor is how long entries are kept at least. A node or a receiver may be away that long. Leads and events have
	// tables of their own, which are not pruned.
	KeepFor = 30 * 24 * time.Hour
	// prunedAtOnce bounds how many entries one transaction deletes.
	prunedAtOnce = 500
)

// Prune deletes the entries that are older than [KeepFor] and that all readers have read. It returns how many it has
// deleted, and whether it left old entries that a reader still has to read. A reader that has run nowhere for KeepFor
// does not count: it continues with the oldest entry that is left.
func (j *Journal) Prune(ctx context.Context, now time.Time) (pruned int, unread bool, err error) {
	for {
		n, unread, err := j.pruneSome(ctx, now.Add(-KeepFor))
		pruned += n
		if err != nil {
			return pruned, false, fmt.Errorf("pruning the journal: %w", err)
		}
		if n < prunedAtOnce {
			return pruned, unread, nil
		}
	}
}

func (j *Journal) pruneSome(ctx context.Context, before time.Time) (n int, unread bool, err error) {
	slowest, err := j.slowest(ctx)
	if err != nil {
		return 0, false, err
	}
	oldest, err := j.After(ctx, Position{}, prunedAtOnce)
	if err != nil {
		return 0, false, err
	}
	for ; n < len(oldest) && oldest[n].At.Before(before); n++ {
		if unread = slowest != nil && oldest[n].Behind(*slowest); unread {
			break
		}
	}
	if n == 0 {
		return 0, unread, nil
	}
	last := oldest[n-1].Position
	return n, unread, j.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM journal WHERE `+j.place("<=", "$1", "$2"), last.Tx, last.Seq)
		return err
	})
}

// slowest returns the position of the slowest of the running readers, or nil if none runs.
func (j *Journal) slowest(ctx context.Context) (*Position, error) {
	p, found, err := db.One(ctx, j.db.Read(), func(p *Position) []any { return []any{&p.Tx, &p.Seq} },
		`SELECT tx, seq FROM journal_readers WHERE seen_at > `+db.Clock(j.db.Engine())+` - $1 ORDER BY tx, seq LIMIT 1`, KeepFor.Milliseconds())
	if err != nil || !found {
		return nil, err
	}
	return &p, nil
}
