package lease

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// rest is how long a number that visitors have had in one pool is not leased in another: those who noted it then may
// still call, and their calls would count for whoever has it now. A number that nobody was shown does not rest.
const rest = 30 * 24 * time.Hour

// poolDigits returns the condition that a column is among the digits of a pool, whose list is $1.
func poolDigits(engine string, column string) string {
	if engine == db.Postgres {
		return column + ` IN (SELECT json_array_elements_text(CAST($1 AS json)))`
	}
	return column + ` IN (SELECT value FROM json_each($1))`
}

// formerName returns the name that the pool had before it was renamed: all its numbers with leases are of one other
// pool, which has no further numbers. Those that it had long ago do not count. found is false if the pool has numbers
// by its own name already.
func formerName(ctx context.Context, from db.Queries, engine string, pool *number.Pool, now int64) (name string, found bool, err error) {
	return db.One(ctx, from, db.Only[string], `SELECT MIN(n.pool) FROM pool_numbers AS n WHERE `+poolDigits(engine, `n.digits`)+` AND n.begun_at > 0
		AND NOT EXISTS (SELECT 1 FROM pool_numbers AS o WHERE o.pool = $2 AND o.begun_at > 0)
		AND NOT EXISTS (SELECT 1 FROM pool_numbers AS o WHERE o.pool = n.pool AND NOT `+poolDigits(engine, `o.digits`)+`
			AND (o.begun_at = 0 OR o.until >= $3))
		HAVING COUNT(DISTINCT n.pool) = 1`, pool.List(), pool.Name, now-rest.Milliseconds())
}

// rename gives the pool the numbers that it had by another name, so that they do not rest.
func (t *taking) rename(ctx context.Context) error {
	former, renamed, err := formerName(ctx, t.tx, t.tx.Engine(), t.Pool, t.now)
	if err != nil || !renamed {
		return err
	}
	_, err = t.tx.Exec(ctx, `UPDATE pool_numbers SET pool = $2 WHERE pool = $3 AND `+poolDigits(t.tx.Engine(), `digits`), t.Pool.List(), t.Pool.Name, former)
	return err
}

// Resting returns until when numbers of the pool rest, by their digits. A number that a visitor still has is not among
// them.
func (l *Leases) Resting(ctx context.Context, pool *number.Pool) (map[string]time.Time, error) {
	now := l.now().UnixMilli()
	former, _, err := formerName(ctx, l.db.Read(), l.db.Engine(), pool, now)
	if err != nil {
		return nil, fmt.Errorf("looking for the former name of a pool: %w", err)
	}
	type row struct {
		digits string
		until  int64
	}
	rows, err := db.List(ctx, l.db.Read(), func(r *row) []any { return []any{&r.digits, &r.until} }, `SELECT digits, until FROM pool_numbers
		WHERE `+poolDigits(l.db.Engine(), `digits`)+` AND pool <> $2 AND pool <> $3 AND begun_at > 0 AND until < $4 AND until >= $5`,
		pool.List(), pool.Name, former, now, now-rest.Milliseconds())
	if err != nil {
		return nil, fmt.Errorf("reading which numbers rest: %w", err)
	}
	resting := make(map[string]time.Time, len(rows))
	for _, r := range rows {
		resting[r.digits] = time.UnixMilli(r.until).Add(rest)
	}
	return resting, nil
}

// Release ends the rest of the numbers in the pool, so that visitors get them again.
func (l *Leases) Release(ctx context.Context, pool *number.Pool, digits []string) error {
	err := l.db.Write(ctx, key(pool), func(ctx context.Context, tx db.Tx) error {
		for some := range db.Parts(digits) {
			values, args := db.Values(some, db.Only[string], pool.Name)
			if _, err := tx.Exec(ctx, `UPDATE pool_numbers SET pool = $1 WHERE digits IN (`+values+`)`, args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("releasing numbers: %w", err)
	}
	return nil
}
