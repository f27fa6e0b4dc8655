package visit_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// BenchmarkHit is the time of a durable page view with 32 clients at once, each
// of which is another visitor after every four pages.
func BenchmarkHit(b *testing.B) {
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			v, err := visit.Open(b.Context(), dbtest.Open(b, settings(b)), time.Now)
			require.NoError(b, err)
			b.SetParallelism(32 / runtime.GOMAXPROCS(0))
			b.ReportAllocs()
			var views atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				var visitor visit.ID
				for page := 0; pb.Next(); page++ {
					if page%4 == 0 {
						visitor = 0
					}
					hit, err := v.Hit(context.Background(), site, visitor, visit.View{
						Nonce: fmt.Sprint("view ", views.Add(1)), URL: fmt.Sprintf("https://shop.example/lamps/%d?utm_source=news", page%4),
						Referrer: "https://search.example/?q=lamps", Title: "A lamp for reading", Kind: "load", UserAgent: chrome, Language: "en",
					})
					if err != nil {
						b.Fatal(err)
					}
					visitor = hit.Visitor
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "hits/s")
		})
	}
}
