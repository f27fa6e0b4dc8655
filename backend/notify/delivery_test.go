package notify_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/notify"
)

func TestRotatedSecretsBothSign(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.receiver(nil)
		e, first := w.endpoint(notify.Endpoint{Address: r.URL})
		w.run()
		second, err := w.Endpoints.Rotate(t.Context(), w.shop, e.ID, "vera")
		require.NoError(t, err)
		require.NotEqual(t, first, second)
		w.lead()
		m := r.wait(t, 1)[0]
		m.message(t, first)
		m.message(t, second)
		require.NoError(t, w.Endpoints.EndEarlier(t.Context(), w.shop, e.ID, "vera"))
		w.lead()
		m = r.wait(t, 2)[1]
		m.message(t, second)
		require.Len(t, strings.Fields(m.Get("webhook-signature")), 1)

		_, err = w.Endpoints.Rotate(t.Context(), w.shop, e.ID, "vera")
		require.NoError(t, err)
		w.ahead.Store(int64(notify.EarlierHolds + time.Minute)) // the earlier one ends by itself
		w.lead()
		require.Len(t, strings.Fields(r.wait(t, 3)[2].Get("webhook-signature")), 1)
	})
}

func TestPausedEndpointLosesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.receiver(nil)
		e, _ := w.endpoint(notify.Endpoint{Address: r.URL})
		w.run()
		require.NoError(t, w.Endpoints.Pause(t.Context(), w.shop, e.ID, true, "vera"))
		const many = 520 // more than are released at once
		tests := make([]journal.Entry, many)
		for i := range tests {
			tests[i] = journal.Entry{SiteID: w.shop, At: w.now(), Kind: notify.EndpointTested, SubjectID: e.ID}
		}
		require.NoError(t, w.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error { return journal.AppendAll(ctx, tx, tests) }))
		require.Eventually(t, func() bool {
			counts, err := w.Counts(t.Context(), w.shop)
			require.NoError(t, err)
			return len(counts) == 1 && counts[0] == notify.Count{EndpointID: e.ID, State: "held", Number: many}
		}, 3*time.Minute, 10*time.Millisecond)
		require.Empty(t, r.list())
		require.NoError(t, w.Endpoints.Pause(t.Context(), w.shop, e.ID, false, "vera"))
		require.Eventually(t, func() bool { return len(r.list()) >= many }, 3*time.Minute, 10*time.Millisecond)
		ids := make(map[string]bool)
		for _, m := range r.list() {
			ids[m.Get("webhook-id")] = true
		}
		require.Len(t, ids, many)
	})
}

// What has been erased when its turn comes is not sent.
func TestErasedLeadIsNotSent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.receiver(nil)
		e, _ := w.endpoint(notify.Endpoint{Address: r.URL})
		w.run()
		require.NoError(t, w.Endpoints.Pause(t.Context(), w.shop, e.ID, true, "vera"))
		l := w.lead()
		w.until(state("held"))
		require.NoError(t, w.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM leads WHERE id = $1`, l.ID)
			return err
		}))
		require.NoError(t, w.Endpoints.Pause(t.Context(), w.shop, e.ID, false, "vera"))
		w.until(state("dropped"))
		require.Empty(t, r.list())
	})
}

func TestSentAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.receiver(nil)
		e, _ := w.endpoint(notify.Endpoint{Address: r.URL})
		w.run()
		w.lead()
		d := w.until(state("delivered"))
		require.NoError(t, w.Again(t.Context(), w.shop, e.ID, d.Entry))
		all := r.wait(t, 2)
		require.Equal(t, all[0].Get("webhook-id"), all[1].Get("webhook-id"))
		w.until(state("delivered"))
		require.ErrorIs(t, w.Again(t.Context(), w.shop, e.ID, d.Entry+1), notify.ErrUnknown)
		require.ErrorIs(t, w.Again(t.Context(), w.shop+1, e.ID, d.Entry), notify.ErrUnknown)

		require.NoError(t, w.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE deliveries SET state = 'failed'`)
			return err
		}))
		n, err := w.AgainFailed(t.Context(), w.shop, e.ID, d.At.Add(time.Second))
		require.NoError(t, err)
		require.Zero(t, n)
		n, err = w.AgainFailed(t.Context(), w.shop, e.ID, d.At)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		r.wait(t, 3)
	})
}

func TestRemovedEndpointGetsNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.receiver(nil)
		e, _ := w.endpoint(notify.Endpoint{Address: r.URL})
		other, _ := w.endpoint(notify.Endpoint{Address: r.URL})
		require.NoError(t, w.Endpoints.Remove(t.Context(), w.shop, e.ID, "vera"))
		w.run()
		w.lead()
		d := w.until(state("delivered"))
		require.Equal(t, other.ID, d.EndpointID)
		require.NoError(t, w.Endpoints.Remove(t.Context(), w.shop, other.ID, "vera"))
		require.Empty(t, w.log())
		require.NoError(t, w.Prune(t.Context()))
		rows, err := db.List(t.Context(), w.db.Read(), db.Only[int64], `SELECT entry FROM deliveries`)
		require.NoError(t, err)
		require.Empty(t, rows)
		require.ErrorIs(t, w.Endpoints.Try(t.Context(), w.shop, e.ID, "vera"), notify.ErrUnknown)
	})
}

func TestOldDeliveriesGo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.receiver(nil)
		w.endpoint(notify.Endpoint{Address: r.URL})
		w.run()
		w.lead()
		w.until(state("delivered"))
		require.NoError(t, w.Prune(t.Context()))
		require.Len(t, w.log(), 1)
		w.ahead.Store(int64(notify.KeepFor + time.Minute))
		require.NoError(t, w.Prune(t.Context()))
		require.Empty(t, w.log())
	})
}

// The pauses are those of Standard Webhooks; they end.
func TestSchedule(t *testing.T) {
	var all time.Duration
	attempts := 1
	for ; ; attempts++ {
		pause, again := notify.Next(attempts)
		if !again {
			break
		}
		all += pause
	}
	require.Equal(t, 10, attempts)
	require.Equal(t, 75*time.Hour+35*time.Minute+5*time.Second, all)
}
