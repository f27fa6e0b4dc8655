package lease_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// BenchmarkTake lets 1,000 visitors ask for 50 numbers, 64 at once. Fifty of them have a number and keep it, and the
// others find the pool exhausted.
func BenchmarkTake(b *testing.B) {
	for engine, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(engine, func(b *testing.B) {
			pool := &number.Pool{Name: "spring"}
			for i := range 50 {
				pool.Digits = append(pool.Digits, fmt.Sprint(74950000000+i))
			}
			require.NoError(b, pool.Complete())
			leases := lease.New(dbtest.Open(b, settings(b)), time.Now, nil)
			var asked atomic.Int64
			b.SetParallelism(32)
			b.ResetTimer()
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					visitor := visit.ID(asked.Add(1)%1000 + 1)
					if _, _, err := leases.Take(b.Context(), lease.Want{Site: 1, Visitor: visitor, Visit: visitor, Replaces: printed, Pool: pool}); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "leases/s")
		})
	}
}

// BenchmarkOf asks for the leases of a number, of which there are ten million ended ones of 50 numbers.
func BenchmarkOf(b *testing.B) {
	const leases, part, numbers = 10_000_000, 100_000, 50
	for engine, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(engine, func(b *testing.B) {
			d := dbtest.Open(b, settings(b))
			for from := 0; from < leases; from += part {
				require.NoError(b, d.Write(b.Context(), 0, func(ctx context.Context, tx db.Tx) error {
					_, err := tx.Exec(ctx, `WITH RECURSIVE n(i) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < $1 + $2 - 1)
						INSERT INTO leases (digits, begun_at, id, site_id, replaces, visitor_id, visit_id, ended_at, shared)
						SELECT CAST(74950000000 + i % 50 AS TEXT), i * 1000, i, 1, '74951234567', i, i, i * 1000 + 50000, false FROM n`, from, part)
					return err
				}))
			}
			asked := lease.New(d, time.Now, nil)
			for i := 0; b.Loop(); i++ {
				at := time.UnixMilli(int64(i%1000+1) * (leases / 1000) * 1000) // spread over the time
				found, err := asked.Of(b.Context(), d.Read(), fmt.Sprint(74950000000+i%numbers), at)
				require.NoError(b, err)
				require.NotEmpty(b, found)
			}
		})
	}
}
