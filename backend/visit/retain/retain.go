// Package retain deletes visits when they are older than they are kept: on PostgreSQL a partition at a time where all of it is
// old, and else row by row.
package retain

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/partition"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

const (
	// prunedAtOnce is how many visits one transaction deletes at most.
	prunedAtOnce = 32
	// prunePause is the least pause between two transactions, in which page views are written. The pause is at least
	// pruneShare times as long as the last transaction, so that visitors hardly notice.
	prunePause = 20 * time.Millisecond
	pruneShare = 9
)

// Duty is the [db.DB.Duty] of deleting visits: while somebody else has it, none is deleted.
const Duty = "retention"

// Retention deletes visits. It is safe for concurrent use.
type Retention struct {
	db    *db.DB
	parts *partition.Tables
}

// New returns the retention of the database, which has to be migrated. parts are the tables of visits, of views and of user
// events.
func New(d *db.DB, parts *partition.Tables) *Retention { return &Retention{d, parts} }

// Now is the earlier one of this node's clock and the database's: a clock that goes ahead would make visits old that are not.
func Now(ctx context.Context, d *db.DB) (time.Time, error) { return nowBy(ctx, d, time.Now()) }

func nowBy(ctx context.Context, d *db.DB, clock time.Time) (time.Time, error) {
	theirs, _, err := db.One(ctx, d.Read(), db.Only[int64], `SELECT `+db.Clock(d.Engine()))
	if err != nil {
		return time.Time{}, fmt.Errorf("asking the database for the time: %w", err)
	}
	return time.UnixMilli(min(theirs, clock.UnixMilli())), nil
}

// oldVisit is a visit that ended long ago.
type oldVisit struct{ site, id, visitor, views int64 }

// Limit says which visits are old: those that ended before the time.
type Limit struct {
	// SiteID is the site of the visits, or 0 for all sites. Visits of crawlers are old by the limit of all sites alone.
	SiteID int64
	Before time.Time
	// Wait is how much longer visits of all sites may stay to be dropped with a partition, if that has no more days. It is
	// 0 for no longer.
	Wait time.Duration
}

// oldVisits returns the oldest visits that are old by the limit, at most prunedAtOnce, without those that wait.
func (r *Retention) oldVisits(ctx context.Context, limit Limit, waits partition.Range) ([]oldVisit, error) {
	kinds, args := []string{"NOT bot", "bot"}, []any{limit.Before.UnixMilli()} // each kind has an index
	if limit.SiteID != 0 {
		kinds, args = []string{"NOT bot AND site_id = $2"}, append(args, limit.SiteID)
	} else if waits.From < waits.To {
		kinds, args = []string{"NOT bot AND (id < $2 OR id >= $3)", "bot AND (id < $2 OR id >= $3)"}, append(args, waits.From, waits.To)
	}
	for _, kind := range kinds {
		list, err := db.List(ctx, r.db.Read(), func(s *oldVisit) []any { return []any{&s.site, &s.id, &s.visitor, &s.views} },
			fmt.Sprintf(`SELECT site_id, id, visitor_id, views FROM visits WHERE last_at < $1 AND %s ORDER BY last_at LIMIT %d`, kind, prunedAtOnce), args...)
		if err != nil || len(list) > 0 {
			return list, err
		}
	}
	return nil, nil
}

// Passed returns those of the limits by which some visits are old.
func (r *Retention) Passed(ctx context.Context, limits []Limit) (passed []Limit, err error) {
	for _, limit := range limits {
		if limit.SiteID != 0 {
			_, some, err := db.One(ctx, r.db.Read(), db.Only[int64], `SELECT 1 FROM visits WHERE site_id = $1 AND NOT bot AND last_at < $2 LIMIT 1`, limit.SiteID, limit.Before.UnixMilli())
			if err != nil {
				return nil, fmt.Errorf("looking for old visits of a site: %w", err)
			}
			if some {
				passed = append(passed, limit)
			}
			continue
		}
		waits, err := r.waiting(ctx, limit)
		var list []oldVisit
		if err == nil {
			list, err = r.oldVisits(ctx, limit, waits)
		}
		var left []partition.Range
		if err == nil {
			left, err = r.parts.Left(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("looking for old visits: %w", err)
		}
		if len(list)+len(left) > 0 {
			passed = append(passed, limit)
		}
	}
	return passed, nil
}

// Prune deletes the visits that are old by the limit, with their page views and events. It deletes visitors who have
// no later visits, with everything that is known of them. It returns how many visits it has deleted. Leads and
// calls keep their sources. The counts of days stay.
//
// Prune works in small transactions with pauses between them, and may end after any of them.
func (r *Retention) Prune(ctx context.Context, limit Limit) (visits int, err error) {
	if limit.SiteID == 0 {
		dropped, all, err := r.dropOld(ctx, limit.Before)
		if err != nil {
			return dropped, fmt.Errorf("dropping old visits: %w", err)
		}
		if visits = dropped; !all {
			return visits, nil // it is tried again, as that is less than to delete them
		}
	}
	pruned, err := r.pruneRows(ctx, limit)
	if visits += pruned; err == nil && pruned > 0 {
		err = r.dropEmpty(ctx, limit.Before)
	}
	return visits, err
}

// pruneRows deletes the visits that are old by the limit row by row.
func (r *Retention) pruneRows(ctx context.Context, limit Limit) (visits int, err error) {
	waits, err := r.waiting(ctx, limit)
	if err != nil {
		return 0, fmt.Errorf("pruning visits: %w", err)
	}
	for {
		old, err := r.oldVisits(ctx, limit, waits)
		if err == nil && len(old) == 0 {
			return visits, nil
		}
		short := false
		if err == nil {
			short, err = r.fitTogether(ctx, old)
		}
		began, pruned := time.Now(), 0
		if err == nil {
			err = r.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) (err error) {
				if short {
					pruned, err = pruneTogether(ctx, tx, old)
				} else {
					pruned, err = pruneLong(ctx, tx, old)
				}
				return err
			})
		}
		if err != nil {
			return visits, fmt.Errorf("pruning visits: %w", err)
		}
		visits += pruned
		if !aside.Sleep(ctx, max(prunePause, pruneShare*time.Since(began))) {
			return visits, ctx.Err()
		}
	}
}

// fitTogether says whether the rows of the visits are few enough for one transaction.
func (r *Retention) fitTogether(ctx context.Context, old []oldVisit) (bool, error) {
	rows := int64(0)
	for _, s := range old {
		rows += s.views
	}
	if rows > trace.AtOnce {
		return false, nil
	}
	set, args := visitsOf(old)
	stored, _, err := db.One(ctx, r.db.Read(), db.Only[int64], `SELECT (SELECT COUNT(*) FROM views WHERE (site_id, visit_id) IN (`+set+`)) +
		(SELECT COUNT(*) FROM user_events WHERE (site_id, visit_id) IN (`+set+`))`, args...)
	return stored <= trace.AtOnce, err
}

func visitsOf(old []oldVisit) (set string, args []any) {
	return db.Among(db.Padded(old), func(s *oldVisit) []any { return []any{&s.site, &s.id} })
}

// pruneTogether deletes visits with few rows.
func pruneTogether(ctx context.Context, tx db.Tx, old []oldVisit) (pruned int, err error) {
	set, args := visitsOf(old)
	for _, t := range rowsOfVisits {
		if err := tx.Send(ctx, `DELETE FROM `+t.Name+` WHERE (site_id, visit_id) IN (`+set+`)`, args...); err != nil {
			return 0, err
		}
	}
	gone, err := tx.Exec(ctx, `DELETE FROM visits WHERE (site_id, id) IN (`+set+`)`, args...)
	if err != nil {
		return 0, err
	}
	return int(gone), pruneVisitors(ctx, tx, old)
}

// pruneVisitors deletes the visitors of the visits who have no visit left.
func pruneVisitors(ctx context.Context, tx db.Tx, old []oldVisit) error {
	set, args := db.Among(db.Padded(old), func(s *oldVisit) []any { return []any{&s.site, &s.visitor} })
	// PostgreSQL would go through all visits for a NOT EXISTS if it took the visitors for many.
	fields := func(s *oldVisit) []any { return []any{&s.site, &s.visitor, &s.id} }
	gone, err := db.List(ctx, tx, fields, `SELECT site_id, id, visit_id FROM visitors WHERE (site_id, id) IN (`+set+`)
		AND COALESCE((SELECT 1 FROM visits v WHERE v.site_id = visitors.site_id AND v.visitor_id = visitors.id LIMIT 1), 0) = 0`, args...)
	if err != nil || len(gone) == 0 {
		return err
	}
	latest, of := db.Among(db.Padded(gone), fields)
	// Whoever has come back meanwhile has another visit, and stays.
	if err := tx.Send(ctx, `DELETE FROM visitors WHERE (site_id, id, visit_id) IN (`+latest+`)`, of...); err != nil {
		return err
	}
	for _, of := range []string{"contacts", "properties", "client_ids"} {
		if err := tx.Send(ctx, `DELETE FROM `+of+` WHERE (site_id, visitor_id) IN (`+set+`)
			AND NOT EXISTS (SELECT 1 FROM visitors v WHERE v.site_id = `+of+`.site_id AND v.id = `+of+`.visitor_id)`, args...); err != nil {
			return err
		}
	}
	return nil
}

// rowsOfVisits are the tables whose rows are deleted before their visit.
var rowsOfVisits = []trace.Table{
	{Name: "views", Where: `site_id = $1 AND visit_id = $2`},
	{Name: "user_events", Where: `site_id = $1 AND visit_id = $2`},
	{Name: "presences", Where: `site_id = $1 AND visit_id = $2`},
}

// pruneLong deletes the first of the visits, or a part of its rows. The next transaction deletes the rest.
func pruneLong(ctx context.Context, tx db.Tx, old []oldVisit) (pruned int, err error) {
	s := old[0]
	for _, t := range rowsOfVisits {
		rows, err := t.Erase(ctx, tx, trace.Mark{SiteID: s.site, ID: s.id})
		if err != nil || rows == trace.AtOnce {
			return 0, err
		}
	}
	return pruneTogether(ctx, tx, old[:1])
}
