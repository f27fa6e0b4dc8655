package callback_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Erasing a person takes the callbacks with all that is in them, found by the number or by the
// visitor, and leaves others alone. A platform that goes on to tell of one is told that there is
// none, and its job does nothing.
func TestTraces(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		require.Equal(t, callback.Sent, o.ask("79123456789", site).Status)
		o.tell(telephony.OperatorRings)
		gone, order := o.last(), o.pbx.orders()[0].ID
		other := o.visit()
		require.Equal(t, callback.Sent, o.ask("79123456790", site, func(a *callback.Asked) { a.Ref = other }).Status)
		left := o.last()
		traces := o.Traces()
		of := trace.Mark{Kind: trace.Callback, SiteID: shop, ID: gone.ID}
		for _, from := range []trace.Mark{{Kind: trace.Phone, Text: "79123456789"}, {Kind: trace.Visitor, SiteID: shop, ID: int64(gone.Visitor)}} {
			marks, err := traces.Find(t.Context(), o.db.Read(), from)
			require.NoError(t, err)
			require.Equal(t, []trace.Mark{of, {Kind: trace.Visitor, SiteID: shop, ID: int64(gone.Visitor)}}, marks)
		}
		rows := map[string]int64{}
		for _, table := range traces.Tables {
			var err error
			rows[table.Name], err = table.Count(t.Context(), o.db.Read(), of)
			require.NoError(t, err)
			require.NoError(t, o.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				_, err := table.Erase(ctx, tx, of)
				return err
			}))
		}
		require.Equal(t, map[string]int64{"callback_steps": 3, "callback_orders": 1, "callbacks": 1}, rows)
		require.ErrorIs(t, o.Progress(t.Context(), telephony.Progress{Order: order, Step: telephony.Talking}), callback.ErrUnknown)
		require.NoError(t, o.Look(t.Context(), shop, gone.ID))
		list := o.all()
		require.Len(t, list, 1)
		require.Equal(t, left.ID, list[0].ID)
		require.Equal(t, []string{"asked", "placed"}, o.kinds(left.ID))
	})
}
