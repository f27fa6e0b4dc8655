package site_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// BenchmarkSites is what sites cost that are looked up, and read again, when there are
// ten thousand.
func BenchmarkSites(b *testing.B) {
	const sites = 10_000
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			d := dbtest.Open(b, settings(b))
			s := newSites(d)
			var keys []string
			for i := range sites {
				keys = append(keys, fmt.Sprintf("shop-%d.example", i))
			}
			require.NoError(b, d.Write(b.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				_, err := s.ProvisionAll(ctx, tx, keys)
				return err
			}))
			require.NoError(b, s.Refresh(b.Context()))
			b.Run("known", func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(p *testing.PB) {
					for i := 0; p.Next(); i++ {
						if _, err := s.ByKey(b.Context(), keys[i%sites]); err != nil {
							b.Error(err)
						}
					}
				})
			})
			b.Run("looking for news", func(b *testing.B) {
				for b.Loop() {
					require.NoError(b, s.Refresh(b.Context()))
				}
			})
			b.Run("change", func(b *testing.B) {
				shop, err := s.ByKey(b.Context(), keys[0])
				require.NoError(b, err)
				for b.Loop() {
					shop, err = s.Change(b.Context(), shop.Key, shop.Version, site.Settings{PhoneMask: new(fmt.Sprint("#", shop.Version))}, "vera")
					require.NoError(b, err)
				}
			})
			b.Run("reading all", func(b *testing.B) {
				for b.Loop() {
					require.NoError(b, newSites(d).Refresh(b.Context()))
				}
			})
		})
	}
}
