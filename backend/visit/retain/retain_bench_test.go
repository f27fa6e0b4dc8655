package retain_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/retain"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// old is how many visits there are to prune, with four page views each.
const old = 60_000

// BenchmarkHitsBesidePruning stores page views of 16 visitors at once. In every other second it prunes old visits at
// the same time. It measures both in turns, since the speed of machines varies.
func BenchmarkViewsBesidePruning(b *testing.B) {
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			d := dbtest.Open(b, settings(b))
			visits := visittest.Open(b, d, time.Now)
			for from := 0; from < old; from += 5000 {
				require.NoError(b, d.Write(b.Context(), 0, func(ctx context.Context, tx db.Tx) error { return insertOld(ctx, tx, from) }))
			}
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
						n, _ := visits.Retention.Prune(ctx, retain.Limit{Before: time.UnixMilli(10_000_000)})
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

// insertOld inserts 5,000 old visits.
func insertOld(ctx context.Context, tx db.Tx, from int) error {
	series := `WITH RECURSIVE n(i) AS (SELECT $1 + 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1 + 5000) `
	for _, query := range []string{
		`INSERT INTO visitors (site_id, id, arrived, nonce, first_at, visit_id, name) ` + series + `SELECT 1, 100000000 + i, i, '', 1000, 100000000 + i, '' FROM n`,
		`INSERT INTO visits (site_id, id, visitor_id, started_at, last_at, views, view_id, recent, campaign, bot, user_agent, language, ` + source.Columns + `) ` + series +
			`SELECT 1, 100000000 + i, 100000000 + i, 1000, 1000 + i, 4, 100000000 + i, '', '', FALSE, '', '', '', '', '', '', '', '', '', '', '', '' FROM n`,
		`INSERT INTO views (site_id, visit_id, id, visitor_id, at, kind, url, referrer, title) ` + series +
			`SELECT 1, 100000000 + i, 200000000 + 4 * i + k, 100000000 + i, 1000, 'load', 'https://shop.example/lamps/arc?page=1', '', 'Lamps for every room' FROM n, (SELECT 0 AS k UNION SELECT 1 UNION SELECT 2 UNION SELECT 3) AS four`,
	} {
		if _, err := tx.Exec(ctx, query, from); err != nil {
			return err
		}
	}
	return nil
}
