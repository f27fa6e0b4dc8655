// Package days counts the page views and the visits of each site on each day.
package days

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Day is what happened on a site on one day. Bots do not count.
type Day struct {
	// Start is when the day began, in UTC.
	Start time.Time
	// Views is the number of page views. Visits are the numbers of visits that began, by the kind of their source. A
	// kind without visits is missing.
	Views  int64
	Visits map[string]int64
}

// siteDay is a day of a site. day counts from 1970.
type siteDay struct{ site, day int64 }

// dayCounts are the counts of a day. visits are in the order of [source.Kinds].
type dayCounts struct {
	views  int64
	visits [8]int64
}

func (c *dayCounts) fields() []any {
	fields := []any{&c.views}
	for i := range c.visits {
		fields = append(fields, &c.visits[i])
	}
	return fields
}

// listsAtOnce bounds the size of a statement.
const listsAtOnce = 100

const dayLength = 24 * int64(time.Hour/time.Millisecond)

// Days counts the days of all sites. It is safe for concurrent use.
type Days struct {
	db     *db.DB
	counts *db.Counter[siteDay, dayCounts] // written in the transactions in which views are stored
}

// New returns the days of the database, which has to be migrated.
func New(d *db.DB) *Days {
	return &Days{d, db.NewCounter(func(a, b siteDay) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.day, b.day))
	}, func(ctx context.Context, tx db.Tx, of siteDay, c dayCounts) error {
		s := c.visits
		return tx.Send(ctx, `INSERT INTO visit_days (site_id, day, lane, views, direct, campaign, ad, search, social, mail, map, referral)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
			ON CONFLICT (site_id, day, lane) DO UPDATE SET views = visit_days.views + excluded.views,
				direct = visit_days.direct + excluded.direct, campaign = visit_days.campaign + excluded.campaign, ad = visit_days.ad + excluded.ad,
				search = visit_days.search + excluded.search, social = visit_days.social + excluded.social, mail = visit_days.mail + excluded.mail,
				map = visit_days.map + excluded.map, referral = visit_days.referral + excluded.referral`,
			of.site, of.day, tx.Lane(), c.views, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7])
	})}
}

// Count counts a view that is stored in the transaction. began is the kind of the source of the visit that begins with
// it, or empty. at is in milliseconds since 1970.
func (d *Days) Count(tx db.Tx, siteID, at int64, began string) {
	d.counts.Add(tx, siteDay{siteID, at / dayLength}, func(c *dayCounts) {
		c.views++
		if kind := slices.Index(source.Kinds, began); kind >= 0 {
			c.visits[kind]++
		}
	})
}

// Of returns the days of the site from the time from up to the time to, the oldest first. A day without views is
// missing.
func (d *Days) Of(ctx context.Context, siteID int64, from, to time.Time) ([]Day, error) {
	type row struct {
		day int64
		dayCounts
	}
	rows, err := db.List(ctx, d.db.Read(), func(r *row) []any { return append([]any{&r.day}, r.fields()...) },
		`SELECT day, CAST(SUM(views) AS BIGINT), CAST(SUM(direct) AS BIGINT), CAST(SUM(campaign) AS BIGINT), CAST(SUM(ad) AS BIGINT), CAST(SUM(search) AS BIGINT),
			CAST(SUM(social) AS BIGINT), CAST(SUM(mail) AS BIGINT), CAST(SUM(map) AS BIGINT), CAST(SUM(referral) AS BIGINT)
		FROM visit_days WHERE site_id = $1 AND day >= $2 AND day < $3 GROUP BY day ORDER BY day`,
		siteID, (from.UnixMilli()+dayLength-1)/dayLength, (to.UnixMilli()+dayLength-1)/dayLength)
	if err != nil {
		return nil, fmt.Errorf("reading the days of a site: %w", err)
	}
	days := make([]Day, len(rows))
	for i, r := range rows {
		days[i] = Day{Start: time.UnixMilli(r.day * dayLength).UTC(), Views: r.views, Visits: make(map[string]int64)}
		for k, n := range r.visits {
			if n > 0 {
				days[i].Visits[source.Kinds[k]] = n
			}
		}
	}
	return days, nil
}

// LastSeen returns when each of the sites had its last page view or event, except those of bots. A site that has had
// none is missing.
func (d *Days) LastSeen(ctx context.Context, ids []int64) (map[int64]time.Time, error) {
	type row struct{ site, at int64 }
	seen := make(map[int64]time.Time, len(ids))
	for some := range slices.Chunk(ids, listsAtOnce) {
		parts := make([]string, len(some))
		for i, id := range some {
			parts[i] = fmt.Sprintf(`SELECT CAST(%d AS BIGINT) AS site_id, (SELECT MAX(last_at) FROM visits WHERE site_id = %d AND NOT bot) AS at`, id, id)
		}
		rows, err := db.List(ctx, d.db.Read(), func(r *row) []any { return []any{&r.site, &r.at} },
			`SELECT site_id, at FROM (`+strings.Join(parts, " UNION ALL ")+`) AS latest WHERE at IS NOT NULL`)
		if err != nil {
			return nil, fmt.Errorf("reading when sites were visited: %w", err)
		}
		for _, r := range rows {
			seen[r.site] = time.UnixMilli(r.at)
		}
	}
	return seen, nil
}
