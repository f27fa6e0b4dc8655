package call_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// The leases are those that visitors have taken.
func TestCallsToNumbersOfPools(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		const pooled = "74950000001"
		pool := &number.Pool{Name: "spring", Digits: []string{pooled}, Exhausted: number.ShareNumber}
		require.NoError(t, pool.Complete())
		x.declare(map[int64][]number.Declared{shopSite: {{Digits: printed, Tracking: []string{pooled}}}})
		take := func(ref visit.Ref) {
			t.Helper()
			digits, _, err := x.leases.Take(t.Context(), lease.Want{Site: shopSite, Visitor: ref.Visitor, Visit: ref.Visit, Replaces: printed, Pool: pool})
			require.NoError(t, err)
			require.Equal(t, pooled, digits)
		}
		expect := func(c call.Call, reason call.Reason, confidence call.Confidence, ref visit.Ref) {
			t.Helper()
			require.Equal(t, reason, c.Reason)
			require.Equal(t, confidence, c.Confidence)
			require.Equal(t, ref.Visitor, c.Visitor)
			require.Equal(t, ref.Visit, c.Visit)
			require.EqualValues(t, shopSite, c.SiteID)
			require.Equal(t, printed, c.Replaces)
		}
		nobody := visit.Ref{}
		const stranger, regular = "79990000001", "79990000002"

		alice := x.visitor("news", ann)
		take(alice)
		first := x.ring("1", pooled, regular)
		expect(first, call.ShownNow, call.High, alice)
		require.Equal(t, "news", first.Source.Source)

		x.at = x.at.Add(time.Hour)
		expect(x.ring("2", pooled, stranger), call.ShownBefore, call.Medium, alice)
		expect(x.ring("2 of nobody", pooled, ""), call.ShownBefore, call.Medium, alice)

		bob := x.visitor("radio", "")
		take(bob)
		expect(x.ring("3", pooled, stranger), call.ShownNow, call.High, bob)
		expect(x.ring("4", pooled, ann), call.KnownShown, call.High, alice)
		expect(x.ring("5", pooled, regular), call.KnownShown, call.High, alice)

		x.at = x.at.Add(time.Second)
		carol := x.visitor("mail", "")
		take(carol)
		expect(x.ring("6", pooled, "79990000003"), call.ShownMany, call.Low, carol)
		// A guessed attribution does not count for the next call.
		expect(x.ring("7", pooled, "79990000003"), call.ShownMany, call.Low, carol)

		// For a late event, the visitor who had the number then counts.
		late := x.event("8", "start")
		late.Called, late.Caller, late.At = pooled, "79990000004", x.at.Add(-time.Hour-time.Second)
		told, _ := x.take(late)
		expect(told, call.ShownNow, call.High, alice)

		destination, err := x.calls.Destination(t.Context(), pooled)
		require.NoError(t, err)
		require.Equal(t, printed, destination)

		x.at = x.at.Add(48 * time.Hour)
		expect(x.ring("9", pooled, "79990000005"), call.Pooled, call.None, nobody)
		expect(x.ring("10", pooled, ann), call.KnownShown, call.High, alice)
		dave := x.visitor("mail", "79990000006")
		expect(x.ring("11", pooled, "79990000006"), call.KnownCaller, call.Medium, dave)
		destination, err = x.calls.Destination(t.Context(), pooled)
		require.NoError(t, err)
		require.Equal(t, printed, destination)
	})
}
