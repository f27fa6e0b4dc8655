package lease

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
)

// Bounds of results.
const (
	maxHolders   = 20
	maxOfVisitor = 100
)

// record is a stored lease.
type record struct {
	digits, replaces         string
	id, site, visitor, visit int64
	begun, until             int64
	shared                   bool
}

func (r *record) fields() []any {
	return []any{&r.id, &r.site, &r.digits, &r.replaces, &r.visitor, &r.visit, &r.begun, &r.until, &r.shared}
}

func (r *record) lease() Lease {
	return Lease{
		ID: r.id, Site: r.site, Digits: r.digits, Replaces: r.replaces, Visitor: visit.ID(r.visitor), Visit: visit.ID(r.visit),
		Begun: time.UnixMilli(r.begun), Until: time.UnixMilli(r.until), Shared: r.shared,
	}
}

// newest returns a query for the leases that meet the condition, the newest first: current, last and past ones. Each
// part reads an index only as far as needed, since a number may have had many thousands of leases.
func newest(condition string, limit int) string {
	order := ` AND ` + condition + ` ORDER BY begun_at DESC LIMIT ` + strconv.Itoa(limit)
	return `SELECT * FROM (SELECT lease_id, site_id, digits, replaces, visitor_id, visit_id, begun_at, until, false FROM pool_numbers WHERE visitor_id <> 0` + order + `) AS last
		UNION ALL SELECT * FROM (SELECT id, site_id, digits, replaces, visitor_id, visit_id, begun_at, ended_at, shared FROM leases WHERE true` + order + `) AS earlier
		ORDER BY 7 DESC, 1 DESC LIMIT ` + strconv.Itoa(limit)
}

var (
	leasesOfNumber  = newest(`digits = $1 AND begun_at <= $2`, maxHolders)
	leasesOfVisitor = newest(`site_id = $1 AND visitor_id = $2`, maxOfVisitor)
)

// Of returns the leases of the number that were valid at the time or ended within 24 hours before. The one that began
// last comes first. Of looks at the last twenty leases that began before the time.
func (l *Leases) Of(ctx context.Context, from db.Queries, digits string, at time.Time) ([]Lease, error) {
	rows, err := db.List(ctx, from, (*record).fields, leasesOfNumber, digits, at.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("reading who has had a number: %w", err)
	}
	since := at.Add(-heldWithin).UnixMilli()
	return leasesOf(slices.DeleteFunc(rows, func(r record) bool { return r.until < since })), nil
}

// Pooled says whether a visitor may ever have had the number: whether it is, or was, one of a pool.
func (l *Leases) Pooled(ctx context.Context, from db.Queries, digits string) (bool, error) {
	_, pooled, err := db.One(ctx, from, db.Only[int], `SELECT 1 FROM pool_numbers WHERE digits = $1`, digits)
	if err != nil {
		return false, fmt.Errorf("looking for the pool of a number: %w", err)
	}
	return pooled, nil
}

// OfVisitor returns at most 100 of the visitor's leases, the newest first.
func (l *Leases) OfVisitor(ctx context.Context, siteID int64, visitor visit.ID) ([]Lease, error) {
	rows, err := db.List(ctx, l.db.Read(), (*record).fields, leasesOfVisitor, siteID, visitor)
	if err != nil {
		return nil, fmt.Errorf("reading the numbers of a visitor: %w", err)
	}
	return leasesOf(rows), nil
}

// Current returns the visitor's leases that are valid now, by the printed number.
func (l *Leases) Current(ctx context.Context, siteID int64, visitor visit.ID) (map[string]Lease, error) {
	leases, err := l.OfVisitor(ctx, siteID, visitor)
	if err != nil {
		return nil, err
	}
	current, now := make(map[string]Lease), l.now()
	for _, lease := range slices.Backward(leases) { // the newest counts
		if !lease.Until.Before(now) {
			current[lease.Replaces] = lease
		}
	}
	return current, nil
}

func leasesOf(rows []record) []Lease {
	leases := make([]Lease, len(rows))
	for i := range rows {
		leases[i] = rows[i].lease()
	}
	return leases
}

// Prolong moves the ends of the leases of visitors who are there, in the transaction tx. It is a [onsite.Attend].
func (l *Leases) Prolong(ctx context.Context, tx db.Tx, seen []onsite.Seen) error {
	now := l.now().UnixMilli()
	free := ""
	if tx.Engine() == db.Postgres { // a locked row is being leased or continued right now
		free = ` AND pool_numbers.digits IN (SELECT n.digits FROM pool_numbers AS n JOIN s ON n.site_id = s.site_id AND n.visit_id = s.visit_id FOR UPDATE OF n SKIP LOCKED)`
	}
	type row struct{ site, visit, until int64 }
	rows := make([]row, len(seen))
	for i, s := range seen {
		rows[i] = row{s.Site, int64(s.Visit), s.Until.UnixMilli()}
	}
	for some := range db.Parts(rows) {
		values, args := db.Values(some, func(r *row) []any { return []any{&r.site, &r.visit, &r.until} }, now)
		// A visit may have several open pages.
		if _, err := tx.Exec(ctx, `WITH v(site_id, visit_id, until) AS (`+values+`), s AS (SELECT site_id, visit_id, MAX(until) AS until FROM v GROUP BY site_id, visit_id)
			UPDATE pool_numbers SET until = s.until + pool_numbers.hold FROM s
			WHERE pool_numbers.site_id = s.site_id AND pool_numbers.visit_id = s.visit_id AND pool_numbers.until >= $1 AND pool_numbers.until < s.until + pool_numbers.hold`+free, args...); err != nil {
			return fmt.Errorf("prolonging leases: %w", err)
		}
	}
	return nil
}

// ShownAt returns the numbers of pools that the visitor had at the time, sorted.
func (l *Leases) ShownAt(ctx context.Context, tx db.Tx, siteID int64, visitor visit.ID, at time.Time) ([]string, error) {
	rows, err := db.List(ctx, tx, (*record).fields, leasesOfVisitor, siteID, visitor)
	if err != nil {
		return nil, fmt.Errorf("reading the numbers of a visitor: %w", err)
	}
	var shown []string
	for _, r := range rows {
		if r.begun <= at.UnixMilli() && r.until >= at.UnixMilli() {
			shown = append(shown, r.digits)
		}
	}
	slices.Sort(shown)
	return slices.Compact(shown), nil
}
