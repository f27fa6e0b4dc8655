package lease

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Cursor is a position in the list of a number's leases, newest first. The zero Cursor is its top.
type Cursor struct {
	At time.Time
	ID int64
}

// Cursor returns the position behind the lease.
func (l Lease) Cursor() Cursor { return Cursor{l.Begun, l.ID} }

// earlierLeases reads by the table's key, and only as many rows as are needed: a number may have had many thousands of
// leases.
const earlierLeases = `SELECT id, site_id, digits, replaces, visitor_id, visit_id, begun_at, ended_at, shared FROM leases
	WHERE digits = $1 AND (begun_at < $2 OR begun_at = $2 AND id < $3) ORDER BY begun_at DESC, id DESC LIMIT $4`

// Earlier returns the number's past leases of all sites behind the position, the newest first. The current or last
// lease is not among them.
func (l *Leases) Earlier(ctx context.Context, digits string, behind Cursor, limit int) ([]Lease, error) {
	if behind == (Cursor{}) {
		behind.At = l.now().Add(time.Hour)
	}
	rows, err := db.List(ctx, l.db.Read(), (*record).fields, earlierLeases, digits, behind.At.UnixMilli(), behind.ID, limit)
	if err != nil {
		return nil, fmt.Errorf("reading the past leases of a number: %w", err)
	}
	return leasesOf(rows), nil
}

// Held returns the current or last leases of the numbers, of all sites, by their digits. The visitor is 0 if the number
// has left the visitor's pool meanwhile, or if the visitor was erased; nobody has the number then.
func (l *Leases) Held(ctx context.Context, digits []string) (map[string]Lease, error) {
	held := make(map[string]Lease, len(digits))
	for some := range slices.Chunk(digits, heldAtOnce) {
		values, args := db.Values(db.Padded(some), db.Only[string])
		rows, err := db.List(ctx, l.db.Read(), (*record).fields, `SELECT lease_id, site_id, digits, replaces, visitor_id, visit_id, begun_at, until, false FROM pool_numbers
			WHERE begun_at > 0 AND digits IN (`+values+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("reading the leases of a pool: %w", err)
		}
		for _, lease := range leasesOf(rows) {
			held[lease.Digits] = lease
		}
	}
	return held, nil
}

const heldAtOnce = 100

// Hour says how a site's visitors used a pool in one hour.
type Hour struct {
	At time.Time // when the hour began
	// Begun is how many leases began, and Lost how many visits found no number left.
	Begun, Lost int
}

// Hours returns the hours since the time in which somebody wanted a number, the oldest first.
func (l *Leases) Hours(ctx context.Context, siteID int64, pool string, since time.Time) ([]Hour, error) {
	type row struct{ hour, begun, lost int64 }
	rows, err := db.List(ctx, l.db.Read(), func(r *row) []any { return []any{&r.hour, &r.begun, &r.lost} },
		`SELECT hour, CAST(SUM(begun) AS BIGINT), CAST(SUM(lost) AS BIGINT) FROM lease_hours WHERE site_id = $1 AND pool = $2 AND hour >= $3 GROUP BY hour ORDER BY hour`,
		siteID, pool, since.UnixMilli()/hourLength)
	if err != nil {
		return nil, fmt.Errorf("reading the hours of a pool: %w", err)
	}
	hours := make([]Hour, len(rows))
	for i, r := range rows {
		hours[i] = Hour{time.UnixMilli(r.hour * hourLength), int(r.begun), int(r.lost)}
	}
	return hours, nil
}

// maxCounted bounds how many leases [Leases.AtOnce] looks through.
const maxCounted = 20_000

// AtOnce returns how many of the numbers were leased at the same time at most, for each span of this length since the
// time. known is false if there were more than maxCounted leases.
func (l *Leases) AtOnce(ctx context.Context, digits []string, since time.Time, span time.Duration) (most map[time.Time]int, known bool, err error) {
	type row struct{ begun, ended int64 }
	var rows []row
	for some := range slices.Chunk(digits, heldAtOnce) {
		values, args := db.Values(db.Padded(some), db.Only[string], since.Add(-heldWithin).UnixMilli(), maxCounted+1-len(rows))
		found, err := db.List(ctx, l.db.Read(), func(r *row) []any { return []any{&r.begun, &r.ended} },
			`SELECT begun_at, until FROM pool_numbers WHERE visitor_id <> 0 AND begun_at >= $1 AND digits IN (`+values+`)
			UNION ALL SELECT * FROM (SELECT begun_at, ended_at FROM leases WHERE begun_at >= $1 AND NOT shared AND digits IN (`+values+`) ORDER BY begun_at LIMIT $2) AS e`, args...)
		if err != nil {
			return nil, false, fmt.Errorf("counting the leases of a pool: %w", err)
		}
		if rows = append(rows, found...); len(rows) > maxCounted {
			return nil, false, nil
		}
	}
	type edge struct {
		at     int64
		change int
	}
	var edges []edge
	for _, r := range rows {
		edges = append(edges, edge{r.begun, 1}, edge{r.ended, -1})
	}
	slices.SortFunc(edges, func(a, b edge) int { // at the same time, an end counts before a beginning
		if a.at != b.at {
			return int(min(max(a.at-b.at, -1), 1))
		}
		return a.change - b.change
	})
	most = make(map[time.Time]int)
	taken, now, next := 0, l.now().UnixMilli(), 0
	for from := since; from.UnixMilli() <= now; from = from.Add(span) {
		until := from.Add(span).UnixMilli()
		for ; next < len(edges) && edges[next].at < from.UnixMilli(); next++ {
			taken += edges[next].change
		}
		most[from] = taken
		for ; next < len(edges) && edges[next].at < until; next++ {
			taken += edges[next].change
			most[from] = max(most[from], taken)
		}
	}
	return most, true, nil
}
