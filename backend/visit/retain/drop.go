package retain

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/partition"
)

const (
	// fewRows is how many old visits of a partition are deleted row by row: that is less than to drop it.
	fewRows = 1000
	// lastVisits is how long visits may go on behind the days of their partition until it is dropped. Those that go on for
	// longer are moved.
	lastVisits = time.Hour
	// visitorsAtOnce is of how many dropped visits one transaction deletes the visitors.
	visitorsAtOnce = 128
)

// waiting returns the numbers of the visits that wait to be dropped together: the limit is in the days of their partition, or
// shortly behind them. There are none if From is To.
func (r *Retention) waiting(ctx context.Context, limit Limit) (waits partition.Range, err error) {
	if limit.Wait == 0 {
		return waits, nil
	}
	ranges, err := r.parts.Ranges(ctx)
	for _, of := range ranges {
		if of.Length() <= limit.Wait && of.From <= partition.First(limit.Before) && limit.Before.Before(of.End().Add(lastVisits)) {
			if waits.To == 0 {
				waits.From = of.From
			}
			waits.To = of.To
		}
	}
	return waits, err
}

// passed returns the partitions whose days are over before the time.
func (r *Retention) passed(ctx context.Context, before time.Time) (passed []partition.Range, err error) {
	ranges, err := r.parts.Ranges(ctx)
	for _, of := range ranges {
		if !before.Before(of.End().Add(lastVisits)) {
			passed = append(passed, of)
		}
	}
	return passed, err
}

// dropOld drops the partitions whose days are over before the time, with all visits that ended before it. What an earlier
// process has begun goes on. It returns how many visits it has dropped, and whether all of them: if not, others use the
// partitions or drop them.
func (r *Retention) dropOld(ctx context.Context, before time.Time) (visits int, all bool, err error) {
	drop, err := r.parts.Left(ctx)
	if err != nil {
		return 0, false, err
	}
	passed, err := r.passed(ctx, before)
	if err != nil {
		return 0, false, err
	}
	for _, of := range passed {
		// Not by the partition's name: another process may have taken it by now.
		old, _, err := db.One(ctx, r.db.Read(), db.Only[int], fmt.Sprintf(`SELECT COUNT(*) FROM (SELECT 1 FROM visits WHERE id >= %d AND id < %d AND last_at < $1 LIMIT %d) AS few`,
			of.From, of.To, fewRows+1), before.UnixMilli())
		if err != nil {
			return 0, false, err
		}
		if old > fewRows {
			drop = append(drop, of)
		}
	}
	return r.take(ctx, drop, before)
}

// dropEmpty drops the partitions without rows whose days are over before the time.
func (r *Retention) dropEmpty(ctx context.Context, before time.Time) error {
	passed, err := r.passed(ctx, before)
	if err != nil {
		return err
	}
	var empty []partition.Range
	for _, of := range passed {
		some, _, err := db.One(ctx, r.db.Read(), db.Only[bool], fmt.Sprintf(`SELECT EXISTS (SELECT 1 FROM visits WHERE id >= %[1]d AND id < %[2]d) OR
			EXISTS (SELECT 1 FROM views WHERE visit_id >= %[1]d AND visit_id < %[2]d) OR EXISTS (SELECT 1 FROM user_events WHERE visit_id >= %[1]d AND visit_id < %[2]d)`, of.From, of.To))
		if err != nil {
			return err
		}
		if !some {
			empty = append(empty, of)
		}
	}
	_, _, err = r.take(ctx, empty, time.UnixMilli(0)) // whatever has come meanwhile stays
	return err
}

// take drops the partitions, but for the visits that have not ended before the time. It leaves those that somebody uses, or
// another process drops.
func (r *Retention) take(ctx context.Context, ranges []partition.Range, before time.Time) (visits int, all bool, err error) {
	if len(ranges) == 0 {
		return 0, true, nil
	}
	busy := false
	mine, err := r.parts.Take(ctx, func(ctx context.Context, t *partition.Taking) error {
		for _, of := range ranges {
			out, err := t.Out(ctx, of)
			if errors.Is(err, partition.ErrBusy) { // a table lets one partition go at a time
				busy = true
				return nil
			}
			if err == nil {
				err = r.keepYoung(ctx, t, out, before)
			}
			dropped := 0
			if err == nil {
				dropped, err = r.visitorsOf(ctx, t, out)
			}
			if err == nil {
				err = t.Drop(ctx, out)
			}
			if err != nil {
				return err
			}
			visits += dropped
		}
		return nil
	})
	return visits, mine && !busy, err
}

// keepYoung moves the visits that have not ended before the time into a new partition, with what belongs to them. While they
// are out, their visitors begin new visits.
func (r *Retention) keepYoung(ctx context.Context, t *partition.Taking, out partition.Taken, before time.Time) error {
	visits, views, events := out.Names[0], out.Names[1], out.Names[2]
	if out.Settled {
		return nil
	}
	var some bool
	err := t.Direct.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+visits+` WHERE last_at >= $1)`, before.UnixMilli()).Scan(&some)
	if err == nil && some {
		_, err = t.Cover(ctx, max(1, out.From), out.To-1)
	}
	if err != nil {
		return err
	}
	var moves []string
	for _, move := range []struct{ from, to, which string }{
		{views, "views", `(site_id, visit_id) IN (SELECT site_id, id FROM ` + visits + ` WHERE last_at >= $1)`},
		{events, "user_events", `(site_id, visit_id) IN (SELECT site_id, id FROM ` + visits + ` WHERE last_at >= $1)`},
		{visits, "visits", `last_at >= $1`},
	} {
		moves = append(moves, `WITH young AS (DELETE FROM `+move.from+` WHERE `+move.which+` RETURNING *) INSERT INTO `+move.to+` SELECT * FROM young`)
	}
	return t.Settle(ctx, out, func(tx *sql.Tx) error {
		if !some {
			return nil
		}
		for _, move := range moves {
			if _, err := tx.ExecContext(ctx, move, before.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// visitorsOf deletes what hangs on the visits that are out of their table, and returns how many these are.
func (r *Retention) visitorsOf(ctx context.Context, t *partition.Taking, out partition.Taken) (visits int, err error) {
	for last := (oldVisit{}); ; {
		old, err := behind(ctx, t.Direct, out.Names[0], last)
		if err != nil || len(old) == 0 {
			return visits, err
		}
		began := time.Now()
		if err := r.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			if err := erasePresences(ctx, tx, old); err != nil {
				return err
			}
			return pruneVisitors(ctx, tx, old)
		}); err != nil {
			return visits, err
		}
		visits, last = visits+len(old), old[len(old)-1]
		if !aside.Sleep(ctx, max(prunePause, pruneShare*time.Since(began))) {
			return visits, ctx.Err()
		}
	}
}

// erasePresences deletes that somebody is there in the visits.
func erasePresences(ctx context.Context, tx db.Tx, old []oldVisit) error {
	set, args := visitsOf(old)
	return tx.Send(ctx, `DELETE FROM presences WHERE (site_id, visit_id) IN (`+set+`)`, args...)
}

// behind returns the next visits of the table behind one.
func behind(ctx context.Context, direct *sql.Conn, table string, last oldVisit) (old []oldVisit, err error) {
	rows, err := direct.QueryContext(ctx, fmt.Sprintf(`SELECT site_id, id, visitor_id FROM %s WHERE (site_id, id) > ($1, $2) ORDER BY site_id, id LIMIT %d`, table, visitorsAtOnce), last.site, last.id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var v oldVisit
		if err := rows.Scan(&v.site, &v.id, &v.visitor); err != nil {
			return nil, err
		}
		old = append(old, v)
	}
	return old, rows.Err()
}
