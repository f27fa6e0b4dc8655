package inventory_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
)

func TestDeclaredNumbersOfSeveralNodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.UnixMilli(1_700_000_000_000)
		s := inventory.New(d, func() time.Time { return now })
		declare := func(declarer string, sites map[int64][]number.Declared) {
			t.Helper()
			now = now.Add(time.Minute)
			require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error { return s.Declare(ctx, tx, declarer, sites) }))
		}
		declared := func(siteID int64) []number.Declared {
			t.Helper()
			list, err := s.Declared(t.Context(), siteID)
			require.NoError(t, err)
			return list
		}
		require.Empty(t, declared(1))

		lamps := number.Declared{Digits: "74951234567", Tracking: []string{"74957654322", "74957654321"}}
		chairs := number.Declared{Digits: "74950000000"}
		declare("a", map[int64][]number.Declared{1: {lamps, chairs, chairs}, 2: {chairs}})
		require.Equal(t, []number.Declared{lamps, chairs}, declared(1), "in the order of the configuration")
		require.Equal(t, []number.Declared{chairs}, declared(2))
		declare("b", map[int64][]number.Declared{1: {lamps, {Digits: "78005553535"}}, 3: {chairs}})
		declare("console", nil)
		require.ElementsMatch(t, []number.Declared{lamps, chairs, {Digits: "78005553535"}}, declared(1), "both nodes'")
		sites, err := s.Sites(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[int64]bool{1: true, 2: true, 3: true}, sites)

		// A number stays if one declarer drops it and another declares it.
		declare("a", map[int64][]number.Declared{1: {{Digits: "74951234567", Tracking: []string{"74957654323"}}}})
		require.ElementsMatch(t, []number.Declared{
			{Digits: "74951234567", Tracking: []string{"74957654322", "74957654323", "74957654321"}}, {Digits: "78005553535"},
		}, declared(1))
		require.Empty(t, declared(2))
		dropped := now
		declare("b", nil)
		require.Equal(t, []number.Declared{{Digits: "74951234567", Tracking: []string{"74957654323"}}}, declared(1))

		// A number that nobody declares any more is retired, and its history stays.
		history := func(siteID int64, digits, replaces string) (first, retired int64) {
			t.Helper()
			type row struct{ first, retired int64 }
			r, found, err := db.One(t.Context(), d.Read(), func(r *row) []any { return []any{&r.first, &r.retired} },
				`SELECT first_at, retired_at FROM declared_numbers WHERE site_id = $1 AND digits = $2 AND replaces = $3`, siteID, digits, replaces)
			require.NoError(t, err)
			require.True(t, found)
			return r.first, r.retired
		}
		first, retired := history(2, "74950000000", "")
		require.Equal(t, time.UnixMilli(1_700_000_000_000).Add(time.Minute).UnixMilli(), first)
		require.Equal(t, dropped.UnixMilli(), retired)
		_, retired = history(1, "74957654321", "74951234567")
		require.Equal(t, now.UnixMilli(), retired, "when the last dropped it")
		_, retired = history(1, "74951234567", "")
		require.Zero(t, retired)
		declare("b", map[int64][]number.Declared{2: {chairs}})
		again, retired := history(2, "74950000000", "")
		require.Equal(t, first, again)
		require.Zero(t, retired)

		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return s.DeclareSite(ctx, tx, "b", 4, []number.Declared{lamps})
		}))
		require.Equal(t, []number.Declared{lamps}, declared(4))
		require.Equal(t, []number.Declared{chairs}, declared(2), "another site's stay")
	})
}

func TestManyDeclaredNumbers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := inventory.New(d, time.Now)
		sites := make(map[int64][]number.Declared)
		for id := range int64(700) {
			sites[id+1] = []number.Declared{{Digits: fmt.Sprint(74950000000 + id), Tracking: []string{fmt.Sprint(74960000000 + id)}}}
		}
		declare := func(sites map[int64][]number.Declared) {
			t.Helper()
			began := time.Now()
			require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error { return s.Declare(ctx, tx, "a", sites) }))
			t.Logf("declared %d sites in %v", len(sites), time.Since(began).Round(time.Millisecond))
		}
		count := func(condition string) int {
			t.Helper()
			n, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM declared_numbers WHERE `+condition)
			require.NoError(t, err)
			return n
		}
		declare(sites)
		declare(sites)
		require.Equal(t, 1400, count(`retired_at = 0`))
		declare(nil)
		require.Equal(t, 1400, count(`retired_at > 0`))
		list, err := s.Sites(t.Context())
		require.NoError(t, err)
		require.Empty(t, list)
	})
}
