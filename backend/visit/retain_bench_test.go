package visit_test

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
)

// BenchmarkHitsBesidePruning stores page views of 16 visitors at once, alone and while old visits are pruned.
func BenchmarkHitsBesidePruning(b *testing.B) {
	for _, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		d := dbtest.Open(b, settings(b))
		visits, err := visit.Open(b.Context(), d, time.Now)
		require.NoError(b, err)
		const old = 200_000 // sessions, with four page views each
		require.NoError(b, d.Write(b.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			series := `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) `
			for _, query := range []string{
				`INSERT INTO visitors (site_id, id, arrived, nonce, first_at, session_id, name) ` + series + `SELECT 1, 100000000 + i, i, '', 1000, 100000000 + i, '' FROM n`,
				`INSERT INTO sessions (site_id, id, visitor_id, started_at, last_at, hits, hit_id, recent, campaign, bot, user_agent, language, ` + visit.SourceColumns + `) ` + series +
					`SELECT 1, 100000000 + i, 100000000 + i, 1000, 1000 + i, 4, 100000000 + i, '', '', FALSE, '', '', '', '', '', '', '', '', '', '', '', '' FROM n`,
				`INSERT INTO hits (site_id, session_id, id, visitor_id, at, kind, url, referrer, title) ` + series +
					`SELECT 1, 100000000 + i, 200000000 + 4 * i + k, 100000000 + i, 1000, 'load', 'https://shop.example/lamps/arc?page=' || i, '', 'Lamps for every room' FROM n, (SELECT 0 AS k UNION SELECT 1 UNION SELECT 2 UNION SELECT 3) AS four`,
			} {
				if _, err := tx.Exec(ctx, query, old); err != nil {
					return err
				}
			}
			return nil
		}))
		for _, beside := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/pruning=%t", d.Engine(), beside), func(b *testing.B) {
				ctx, stop := context.WithCancel(b.Context())
				var pruning sync.WaitGroup
				pruned := 0
				if beside {
					pruning.Go(func() { pruned, _ = visits.Prune(ctx, time.UnixMilli(10_000_000)) })
				}
				var next atomic.Int64
				var mu sync.Mutex
				var took []time.Duration
				b.ResetTimer()
				var visitors sync.WaitGroup
				for v := range 16 {
					visitors.Go(func() {
						var visitor visit.ID
						var own []time.Duration
						for next.Add(1) <= int64(b.N) {
							began := time.Now()
							h, err := visits.Hit(b.Context(), 1, visitor, visit.View{Nonce: fmt.Sprint(v, " ", len(own), beside), URL: "https://shop.example/lamps", Kind: "load"})
							if err != nil {
								panic(err)
							}
							own, visitor = append(own, time.Since(began)), h.Visitor
						}
						mu.Lock()
						defer mu.Unlock()
						took = append(took, own...)
					})
				}
				visitors.Wait()
				b.StopTimer()
				stop()
				pruning.Wait()
				slices.Sort(took)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "hits/s")
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
				b.ReportMetric(float64(pruned)/b.Elapsed().Seconds(), "pruned/s")
			})
		}
	}
}
