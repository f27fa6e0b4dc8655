package visit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// BenchmarkHit lets 32 clients report page views at once. One view in five is of a new visitor, and the others are of
// earlier visitors. A view counts when it is stored.
func BenchmarkView(b *testing.B) {
	const clients = 32
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			d := dbtest.Open(b, settings(b))
			v := visittest.Open(b, d, time.Now)
			var mu sync.Mutex
			var took []time.Duration
			before := logged(b, d)
			b.SetParallelism(clients / runtime.GOMAXPROCS(0))
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				var visitors []visit.ID
				var mine []time.Duration
				for i := 0; pb.Next(); i++ {
					var visitor visit.ID
					if i%5 != 0 {
						visitor = visitors[rand.IntN(len(visitors))]
					}
					start := time.Now()
					view, err := v.Arrive(context.Background(), site, visitor, visit.Arrival{
						Nonce: fmt.Sprintf("%022x", rand.Uint64()), URL: "https://shop.example/lamps/birch?page=2", Referrer: "https://www.google.com/",
						Title: "Birch lamps", Kind: "load", UserAgent: chrome, Language: "en-GB,en;q=0.9",
					})
					mine = append(mine, time.Since(start))
					if err != nil {
						b.Error(err)
						return
					}
					if view.NewVisitor {
						visitors = append(visitors, view.Visitor)
					}
				}
				mu.Lock()
				defer mu.Unlock()
				took = append(took, mine...)
			})
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "views/s")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			if d.Engine() == db.Postgres {
				b.ReportMetric(float64(logged(b, d)-before)/float64(b.N), "WAL-B/op")
			}
		})
	}
}

// logged is how many bytes PostgreSQL has written to its log, which are also sent to standbys.
func logged(b *testing.B, d *db.DB) int64 {
	if d.Engine() != db.Postgres {
		return 0
	}
	bytes, _, err := db.One(b.Context(), d.Read(), db.Only[int64], `SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint`)
	require.NoError(b, err)
	return bytes
}

// BenchmarkProperties measures the query that each view of a returning visitor needs besides.
func BenchmarkProperties(b *testing.B) {
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			v := visittest.Open(b, dbtest.Open(b, settings(b)), time.Now)
			view, err := v.Arrive(b.Context(), site, 0, visit.Arrival{URL: "https://shop.example/", Kind: "load"})
			require.NoError(b, err)
			require.NoError(b, v.SetProperty(b.Context(), site, view.Ref, "client", nil))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.Properties(b.Context(), site, view.Visitor); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
