package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// The test counts how many numbers of a pool were leased at once in each hour, and the outcomes.
func TestHoursOfAPool(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		begun := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
		now := begun
		leases := lease.New(d, func() time.Time { return now }, nil)
		pool := &number.Pool{Name: "1/spring", Digits: []string{"74957650001", "74957650002"}, Hold: time.Minute}
		require.NoError(t, pool.Complete())
		visitor := visit.ID(100)
		want := func(site int64, after time.Duration) {
			t.Helper()
			now, visitor = begun.Add(after), visitor+1
			_, _, err := leases.Take(t.Context(), lease.Want{Site: site, Visitor: visitor, Visit: visitor, Replaces: "74951234567", Pool: pool, First: true})
			require.NoError(t, err)
		}
		want(1, 10*time.Minute)
		want(2, 11*time.Minute) // from another site, while the first one is there
		want(1, 12*time.Minute) // finds none
		want(1, 70*time.Minute) // the first one has gone
		want(1, 90*time.Minute)
		now = begun.Add(150 * time.Minute)

		hours, err := leases.Hours(t.Context(), 1, pool.Name, begun)
		require.NoError(t, err)
		require.Len(t, hours, 2)
		require.Equal(t, lease.Hour{At: begun.Local(), Begun: 1, Lost: 1}, lease.Hour{At: hours[0].At.Local(), Begun: hours[0].Begun, Lost: hours[0].Lost})
		require.Equal(t, 2, hours[1].Begun)

		most, known, err := leases.AtOnce(t.Context(), pool.Digits, begun, time.Hour)
		require.NoError(t, err)
		require.True(t, known)
		require.Equal(t, map[time.Time]int{begun: 2, begun.Add(time.Hour): 1, begun.Add(2 * time.Hour): 0}, most)

		held, err := leases.Held(t.Context(), pool.Digits)
		require.NoError(t, err)
		require.Len(t, held, 2)
		past, err := leases.Earlier(t.Context(), "74957650001", lease.Cursor{}, 10)
		require.NoError(t, err)
		require.Len(t, past, 1)
		require.Equal(t, int64(1), past[0].Site)
		rest, err := leases.Earlier(t.Context(), "74957650001", past[0].Cursor(), 10)
		require.NoError(t, err)
		require.Empty(t, rest)
	})
}
