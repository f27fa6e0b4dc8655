package retain_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/db/partition"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/retain"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// viewsOfOld are the page views of each visit that there is to prune.
const viewsOfOld = 4

// ways are how old visits go: by the limit of a site row by row, by that of all sites with their partition.
var ways = []struct {
	name     string
	settings func(testing.TB) db.Settings
	limit    retain.Limit
}{
	{"sqlite", dbtest.SQLite, retain.Limit{Before: begun.Add(60 * day)}},
	{"postgres/rows", dbtest.Postgres, retain.Limit{SiteID: 1, Before: begun.Add(60 * day)}},
	{"postgres/partitions", dbtest.Postgres, retain.Limit{Before: begun.Add(60 * day)}},
}

// insertOld stores old visits that have ended within 28 days, and some younger ones.
func insertOld(b *testing.B, visits *visittest.Rooms, d *db.DB, old int) {
	for n := range 29 {
		at := begun.Add(time.Duration(n*28) * day)
		_, err := visits.Keys.Parts.Cover(b.Context(), partition.First(at), partition.First(at)+1)
		require.NoError(b, err)
	}
	for from := 0; from < old; from += 5000 {
		require.NoError(b, d.Write(b.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return insertVisits(ctx, tx, partition.First(begun)+int64(from), begun.Add(time.Duration(from)*28*day/time.Duration(old)))
		}))
	}
	require.NoError(b, d.Write(b.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		return insertVisits(ctx, tx, partition.First(begun.Add(100*day)), begun.Add(100*day))
	}))
	if d.Engine() == db.Postgres {
		direct, err := db.Direct(d)
		require.NoError(b, err)
		defer direct.Close()
		_, err = direct.ExecContext(b.Context(), `VACUUM ANALYZE`)
		require.NoError(b, err)
		_, err = direct.ExecContext(b.Context(), `CHECKPOINT`)
		require.NoError(b, err)
	}
}

// BenchmarkRetention prunes visits with page views, and says what a million of these takes: the seconds with pauses, and the
// megabytes of PostgreSQL's log. -visits says how many there are; row by row, a thousandth of it is enough.
func BenchmarkRetention(b *testing.B) {
	for _, way := range ways[1:] {
		b.Run(way.name, func(b *testing.B) {
			old := *benchVisits
			if way.limit.SiteID != 0 {
				old = min(old, 10_000)
			}
			for b.Loop() {
				b.StopTimer()
				d := dbtest.Open(b, way.settings(b))
				visits := visittest.Open(b, d, func() time.Time { return begun.Add(900 * day) })
				insertOld(b, visits, d, old)
				before := logged(b, d)
				b.StartTimer()
				began := time.Now()
				pruned, err := visits.Retention.Prune(b.Context(), way.limit)
				took := time.Since(began)
				b.StopTimer()
				require.NoError(b, err)
				require.Equal(b, old, pruned)
				million := 1e6 / float64(old*viewsOfOld)
				b.ReportMetric(took.Seconds()*million, "s/million")
				b.ReportMetric(float64(logged(b, d)-before)/1e6*million, "MB/million")
				b.StartTimer()
			}
		})
	}
}

var benchVisits = flag.Int("visits", 250_000, "how many visits BenchmarkRetention prunes")

// logged is how many bytes PostgreSQL has written to its log.
func logged(b *testing.B, d *db.DB) int64 {
	bytes, _, err := db.One(b.Context(), d.Read(), db.Only[int64], `SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS BIGINT)`)
	require.NoError(b, err)
	return bytes
}

// BenchmarkViewsBesidePruning stores page views of 16 visitors at once. In every other second it prunes old visits at
// the same time. It measures both in turns, since the speed of machines varies.
func BenchmarkViewsBesidePruning(b *testing.B) {
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			d := dbtest.Open(b, way.settings(b))
			visits := visittest.Open(b, d, time.Now)
			insertOld(b, visits, d, 60_000)
			var took [2][]time.Duration
			var mu sync.Mutex
			pruned, turns := 0, 0
			for b.Loop() {
				beside := turns % 2
				turns++
				ctx, stop := context.WithTimeout(b.Context(), time.Second)
				var working sync.WaitGroup
				if beside == 1 {
					working.Go(func() {
						n, _ := visits.Retention.Prune(ctx, way.limit)
						pruned += n
					})
				}
				var failed atomic.Bool
				for v := range 16 {
					working.Go(func() {
						var visitor visit.ID
						var own []time.Duration
						for ctx.Err() == nil {
							began := time.Now()
							h, err := visits.Arrive(b.Context(), 1, visitor, visit.Arrival{Nonce: fmt.Sprint(turns, " ", v, " ", len(own)), URL: "https://shop.example/lamps", Kind: "load"})
							if err != nil {
								failed.Store(true)
							}
							own, visitor = append(own, time.Since(began)), h.Visitor
						}
						mu.Lock()
						defer mu.Unlock()
						took[beside] = append(took[beside], own...)
					})
				}
				working.Wait()
				stop()
				require.False(b, failed.Load())
			}
			for i, name := range []string{"alone", "beside"} {
				if seconds := float64((turns + 1 - i) / 2); seconds > 0 && len(took[i]) > 0 {
					slices.Sort(took[i])
					b.ReportMetric(float64(len(took[i]))/seconds, name+"-views/s")
					b.ReportMetric(float64(took[i][len(took[i])/2].Microseconds()), name+"-p50-µs")
					b.ReportMetric(float64(took[i][len(took[i])*99/100].Microseconds()), name+"-p99-µs")
				}
			}
			b.ReportMetric(float64(pruned)/float64(max(1, turns/2)), "pruned/s")
		})
	}
}

// insertVisits inserts 5,000 visits with page views, from the number on.
func insertVisits(ctx context.Context, tx db.Tx, from int64, at time.Time) error {
	const series = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) `
	for _, query := range []string{
		`INSERT INTO visitors (site_id, id, arrived, nonce, first_at, visit_id, name) ` + series + `SELECT 1, CAST($1 AS BIGINT) + i, CAST($1 AS BIGINT) + i, '', CAST($2 AS BIGINT), CAST($1 AS BIGINT) + i, '' FROM n`,
		`INSERT INTO visits (site_id, id, visitor_id, started_at, last_at, views, view_id, recent, campaign, bot, user_agent, language, ` + source.Columns + `) ` + series +
			`SELECT 1, CAST($1 AS BIGINT) + i, CAST($1 AS BIGINT) + i, CAST($2 AS BIGINT), CAST($2 AS BIGINT) + i, 4, CAST($1 AS BIGINT) + i, '', '', FALSE, '', '', '', '', '', '', '', '', '', '', '', '' FROM n`,
		`INSERT INTO views (site_id, visit_id, id, visitor_id, at, kind, url, referrer, title) ` + series +
			`SELECT 1, CAST($1 AS BIGINT) + i, CAST($1 AS BIGINT) + 4 * i + k, CAST($1 AS BIGINT) + i, CAST($2 AS BIGINT), 'load', 'https://shop.example/lamps/arc?page=1', '', 'Lamps for every room' FROM n, (SELECT 0 AS k UNION SELECT 1 UNION SELECT 2 UNION SELECT 3) AS four`,
	} {
		if _, err := tx.Exec(ctx, query, from, at.UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}
