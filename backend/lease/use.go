package lease

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
)

// poolHour is an hour of a site's use of a pool. hour counts from 1970.
type poolHour struct {
	site int64
	pool string
	hour int64
}

// hourCounts are the counts of an hour.
type hourCounts struct{ begun, lost int64 }

const hourLength = int64(time.Hour / time.Millisecond)

// newHours returns a counter of the hours of all pools. It is written in the transactions in which leases are stored.
func newHours() *db.Counter[poolHour, hourCounts] {
	return db.NewCounter(func(a, b poolHour) int {
		return cmp.Or(cmp.Compare(a.site, b.site), strings.Compare(a.pool, b.pool), cmp.Compare(a.hour, b.hour))
	}, func(ctx context.Context, tx db.Tx, of poolHour, c hourCounts) error {
		return tx.Send(ctx, `INSERT INTO lease_hours (site_id, pool, hour, lane, begun, lost) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (site_id, pool, hour, lane) DO UPDATE SET begun = lease_hours.begun + excluded.begun, lost = lease_hours.lost + excluded.lost`,
			of.site, of.pool, of.hour, tx.Lane(), c.begun, c.lost)
	})
}

// count counts the outcome of a Want. It returns whether the visit has found no number left.
func (l *Leases) count(t *taking, o Outcome) (lost bool) {
	lost = o.Exhausted() && t.First
	if o != Begun && !lost {
		return lost
	}
	l.hours.Add(t.tx, poolHour{t.Site, t.Pool.Name, t.now / hourLength}, func(c *hourCounts) {
		if lost {
			c.lost++
		} else {
			c.begun++
		}
	})
	return lost
}

// Use says how a site's visitors use a pool.
type Use struct {
	// Pool is the pool's name, and Numbers how many numbers it has.
	Pool    string
	Numbers int
	// Now are the leases that are valid now, also those of other sites.
	Now []Lease
	// Begun is how many leases began in the period, and Lost how many visits found no number left.
	Begun, Lost int64
	// Busiest is how many visitors wanted a number in the busiest hour.
	Busiest int64
	// Mean is how long a visitor has a number, with the hold. It is 0 if that is not known.
	Mean time.Duration
}

// Traffic is how many numbers would be taken on average in the busiest hour if there were enough.
func (u Use) Traffic() float64 { return float64(u.Busiest) * u.Mean.Hours() }

const (
	// usedWithin is the period of Use.
	usedWithin = 28 * 24 * time.Hour
	// meanOf is the period of the leases over which the mean is taken.
	meanOf = 7 * 24 * time.Hour
)

// usesOfPools counts the numbers of a site by their pools, and what visitors had of these since an hour.
var usesOfPools = `SELECT p.pool, p.numbers, CAST(COALESCE(SUM(h.begun), 0) AS BIGINT), CAST(COALESCE(SUM(h.lost), 0) AS BIGINT), CAST(COALESCE(MAX(h.begun + h.lost), 0) AS BIGINT)
	FROM (SELECT n.pool, COUNT(*) AS numbers FROM pool_numbers AS n WHERE n.digits IN (` + inventory.DeclaredSQL(`$1`) + `) GROUP BY n.pool) AS p
	LEFT JOIN (SELECT pool, hour, SUM(begun) AS begun, SUM(lost) AS lost FROM lease_hours WHERE site_id = $1 AND hour >= $2 GROUP BY pool, hour) AS h ON h.pool = p.pool
	GROUP BY p.pool, p.numbers ORDER BY p.pool`

// Uses returns how the site's visitors have used its pools in the last 28 days, by pool name. A pool of which nobody
// has had a number is missing.
func (l *Leases) Uses(ctx context.Context, siteID int64) ([]Use, error) {
	now := l.now()
	type counted struct {
		pool                 string
		numbers              int
		begun, lost, busiest int64
	}
	pools, err := db.List(ctx, l.db.Read(), func(c *counted) []any { return []any{&c.pool, &c.numbers, &c.begun, &c.lost, &c.busiest} },
		usesOfPools, siteID, now.Add(-usedWithin).UnixMilli()/hourLength)
	if err != nil {
		return nil, fmt.Errorf("reading the use of pools: %w", err)
	}
	uses := make([]Use, len(pools))
	for i, c := range pools {
		u := Use{Pool: c.pool, Numbers: c.numbers, Begun: c.begun, Lost: c.lost, Busiest: c.busiest}
		rows, err := db.List(ctx, l.db.Read(), (*record).fields, leasesNow, c.pool, now.UnixMilli())
		if err != nil {
			return nil, fmt.Errorf("reading the leases of a pool: %w", err)
		}
		u.Now = leasesOf(rows)
		mean, _, err := db.One(ctx, l.db.Read(), db.Only[float64], meanOfPool, c.pool, now.Add(-meanOf).UnixMilli())
		if err != nil {
			return nil, fmt.Errorf("reading how long leases last: %w", err)
		}
		u.Mean = time.Duration(mean * float64(time.Millisecond))
		uses[i] = u
	}
	return uses, nil
}

const (
	leasesNow = `SELECT lease_id, site_id, digits, replaces, visitor_id, visit_id, begun_at, until, false FROM pool_numbers
		WHERE pool = $1 AND visitor_id <> 0 AND until >= $2 ORDER BY begun_at DESC`
	meanOfPool = `SELECT CAST(COALESCE(AVG(e.ended_at - e.begun_at), 0) AS DOUBLE PRECISION) FROM pool_numbers AS n
		JOIN leases AS e ON e.digits = n.digits AND e.begun_at >= $2 WHERE n.pool = $1 AND NOT e.shared`
)
