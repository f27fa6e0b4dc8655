package inventory_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
)

// pools returns a pool of a site's own.
func pools(name string, digits ...string) map[string]number.DeclaredPool {
	return map[string]number.DeclaredPool{name: {Numbers: digits}}
}

// A number is in one site's pool, whichever site is first.
func TestNumbersOfOwnPoolsAreOneSites(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := inventory.New(d, time.Now)
		keep := func(siteID int64, own number.Own) error {
			return d.Attempt(context.Background(), siteID, func(ctx context.Context, tx db.Tx) error { return s.KeepOwn(ctx, tx, siteID, own, nil) })
		}
		require.NoError(t, keep(1, number.Own{Pools: pools("spring", "74957650001", "74957650002")}))
		err := keep(2, number.Own{Pools: pools("spring", "74957650003", "74957650002")})
		var wrong *number.FieldError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, "spring", wrong.Pool)
		require.Equal(t, 1, wrong.Index)
		var mistake *number.Mistake
		require.ErrorAs(t, err, &mistake)
		require.Equal(t, "pool_foreign", mistake.Kind)
		require.NoError(t, keep(1, number.Own{Pools: pools("spring", "74957650001")}))
		require.NoError(t, keep(2, number.Own{Pools: pools("spring", "74957650003", "74957650002")}), "it was given back")

		var all sync.WaitGroup
		won := make([]error, 8)
		for i := range won {
			all.Go(func() {
				won[i] = keep(int64(10+i), number.Own{Pools: pools("summer", "74957650099", fmt.Sprint(74957651000+i))})
			})
		}
		all.Wait()
		first := 0
		for _, err := range won {
			if err == nil {
				first++
			} else {
				require.ErrorAs(t, err, &wrong)
			}
		}
		require.Equal(t, 1, first)
	})
}

// Own numbers are stored beside those that configurations declare, so that calls find their site.
func TestOwnNumbersAreDeclared(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := inventory.New(d, time.Now)
		keep := func(own number.Own) {
			t.Helper()
			require.NoError(t, d.Write(t.Context(), 1, func(ctx context.Context, tx db.Tx) error { return s.KeepOwn(ctx, tx, 1, own, nil) }))
		}
		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return s.Declare(ctx, tx, "node", map[int64][]number.Declared{1: {{Digits: "74951234567", Tracking: []string{"74957650001"}}}})
		}))
		keep(number.Own{
			Numbers: []number.Number{{Number: "78005553535", Tracking: []number.Tracking{{Static: "74957650002", When: []string{"gclid"}}, {Pool: "spring"}, {Pool: "unknown"}}}},
			Pools:   pools("spring", "74957650011"),
		})
		declared, err := s.Declared(t.Context(), 1)
		require.NoError(t, err)
		require.ElementsMatch(t, []number.Declared{
			{Digits: "74951234567", Tracking: []string{"74957650001"}}, {Digits: "78005553535", Tracking: []string{"74957650002", "74957650011"}},
		}, declared)
		by, err := s.ConfiguredBy(t.Context(), 1)
		require.NoError(t, err)
		require.Equal(t, map[string][]string{"74951234567": {"node"}}, by)
		keep(number.Own{})
		declared, err = s.Declared(t.Context(), 1)
		require.NoError(t, err)
		require.Len(t, declared, 1)
	})
}
