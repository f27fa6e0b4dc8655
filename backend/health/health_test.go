package health_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/health"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestDegraded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		incidents := incident.New(d, time.Now)
		of := health.Subjects{DB: d, Journal: journal.New(d), Incidents: incidents}
		codes := func(now func() time.Time) (codes []health.Code) {
			for _, r := range of.Degraded(t.Context(), now) {
				require.False(t, r.Unhealthy)
				codes = append(codes, r.Code)
			}
			return codes
		}
		still := func(ahead time.Duration) func() time.Time { // so that no question seems slow
			at := time.Now().Add(ahead)
			return func() time.Time { return at }
		}
		require.Empty(t, codes(still(0)))
		require.Equal(t, []health.Code{health.Clock}, codes(still(time.Minute)))
		asked := time.Duration(0)
		require.Equal(t, []health.Code{health.Slow}, codes(func() time.Time { asked += time.Second; return time.Now().Add(asked) }))

		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return incident.Note(ctx, tx, incident.Incident{SiteID: 7, Kind: incident.Endpoint, About: "1", Name: "secret.example"}, true, time.Now())
		}))
		require.NoError(t, incidents.Settle(t.Context()))
		reasons := of.Degraded(t.Context(), still(0))
		require.Len(t, reasons, 1)
		require.Equal(t, health.Deliveries, reasons[0].Code)
		require.Equal(t, 1, reasons[0].Count)
		require.NotNil(t, reasons[0].Since)
		require.NotContains(t, reasons[0].Text, "secret")
	})
}

func TestCodes(t *testing.T) {
	seen := make(map[health.Code]bool)
	for _, code := range health.Codes {
		require.False(t, seen[code])
		seen[code] = true
	}
	require.True(t, health.DiskFull.IsUnhealthy())
	require.False(t, health.DiskLow.IsUnhealthy())
	require.Equal(t, health.ReadOnly, health.OfDatabase(db.ErrReadOnly).Code)
}
