package number_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// BenchmarkTake has 1,000 visitors ask for 50 numbers, 64 at once: fifty have one and keep it,
// and the others find the pool exhausted.
func BenchmarkTake(b *testing.B) {
	for engine, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(engine, func(b *testing.B) {
			pool := &number.Pool{Name: "spring"}
			for i := range 50 {
				pool.Digits = append(pool.Digits, fmt.Sprint(74950000000+i))
			}
			require.NoError(b, pool.Complete())
			leases := number.NewLeases(dbtest.Open(b, settings(b)), time.Now, nil)
			var asked atomic.Int64
			b.SetParallelism(32)
			b.ResetTimer()
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					visitor := visit.ID(asked.Add(1)%1000 + 1)
					if _, _, err := leases.Take(b.Context(), number.Want{Site: 1, Visitor: visitor, Session: visitor, Replaces: printed, Pool: pool}); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "leases/s")
		})
	}
}
