package console_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// lease leases a number of the pool to a new visitor of the shop, and returns his page view and his card's address.
func (d *desk) lease(pool *number.Pool) (h visit.View, card string) {
	d.t.Helper()
	h = d.hit(visit.Arrival{URL: "https://shop.example/"})
	_, _, err := d.Leases.Take(d.t.Context(), lease.Want{
		Site: d.shop.ID, Visitor: h.Visitor, Visit: h.Visit, Replaces: "74951234567", Pool: pool, First: true,
	})
	require.NoError(d.t, err)
	return h, fmt.Sprintf("/visitors/%d/%d", d.shop.ID, h.Visitor)
}

func TestPools(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		b := d.signedIn("vera")
		require.Contains(t, b.get("/numbers/pools").body, "No pools yet")
		pool := &number.Pool{Name: "spring", Digits: []string{"74957650001", "74957650002"}}
		require.NoError(t, pool.Complete())
		d.declareNumbers("", number.Declared{Digits: "74951234567", Tracking: pool.Digits})
		require.Contains(t, b.get("/numbers/pools").body, "No pools yet")

		h, first := d.lease(pool)
		page := b.get("/numbers/pools").body
		require.Contains(t, page, "1 of 2 numbers taken")
		require.Contains(t, page, "7 495 765-00-01")
		require.Contains(t, page, "instead of &#43;7 495 123-45-67")
		require.Contains(t, page, first)
		require.Contains(t, page, "too few visits so far")

		// It stands on the visitor's card, and on what he sends meanwhile.
		l := d.lead(h, map[string]any{"name": "Ada"})
		for _, address := range []string{first, fmt.Sprintf("/leads/%d/%d", d.shop.ID, l.ID)} {
			require.Regexp(t, `Number shown</dt><dd[^>]*>(<bdi>)?[^<]*7 495 765-00-01`, b.get(address).body)
		}

		d.lease(pool)
		d.lease(pool)
		page = b.get("/numbers/pools").body
		require.Contains(t, page, "2 of 2 numbers taken")
		require.Contains(t, page, "In the last 28 days, 1 visit found no free number.")

		d.pass(time.Hour)
		d.lease(pool)
		page = b.get("/numbers/pools").body
		require.Contains(t, page, "In the busiest hour, 3 visitors needed a number, and each kept it for 6 min on average.")
		require.Contains(t, page, "3 numbers would be enough for 99 of 100 visitors. With the present numbers, 3.8% find none free.")
		require.NotContains(t, page, first)

		// Visitors of another site are counted, and not told of.
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		_, outcome, err := d.Leases.Take(t.Context(), lease.Want{Site: other.ID, Visitor: 471104711, Visit: 471104711, Replaces: "74951234567", Pool: pool})
		require.NoError(t, err)
		require.Equal(t, lease.Begun, outcome)
		page = b.get("/numbers/pools").body
		require.Contains(t, page, "2 of 2 numbers taken")
		require.NotContains(t, page, "471104711")
	})
}
