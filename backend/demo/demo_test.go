package demo_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/demo"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var last = time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)

// figures are the year's, by channel.
func figures(t *testing.T, d *db.DB) report.Answer {
	t.Helper()
	keys, err := key.Open(t.Context(), d, time.Now)
	require.NoError(t, err)
	site, found, err := db.One(t.Context(), d.Read(), db.Only[int64], `SELECT id FROM sites WHERE key = 'demo-shop'`)
	require.NoError(t, err)
	require.True(t, found)
	end := period.DateOf(last, time.UTC)
	answer, err := report.New(d, keys, time.Now).Ask(t.Context(), report.Question{SiteIDs: []int64{site}, By: []report.Dimension{report.Channel},
		Period: period.Period{First: end - 400, Last: end, Step: period.Month, Zone: time.UTC}, Credit: credit.Rule{Model: credit.Models[0], Window: 30 * 24 * time.Hour}, PersonWindow: 30 * 24 * time.Hour})
	require.NoError(t, err)
	return answer
}

// The year is of everything that reports are about, and the same each time. A database in use is left alone.
func TestYear(t *testing.T) {
	plan := demo.Year(last)
	plan.Visits = 3000
	var totals []report.Figures
	for _, settings := range []db.Settings{dbtest.SQLite(t), dbtest.Postgres(t)} {
		d := dbtest.Open(t, settings)
		days := 0
		require.NoError(t, demo.Fill(t.Context(), d, plan, func(time.Time, int64) { days++ }))
		require.Equal(t, 365, days)
		answer := figures(t, d)
		require.InDelta(t, plan.Visits, answer.Total[report.Visits]+answer.Total[report.Bots], 100)
		for _, m := range []report.Metric{report.Bots, report.Calls, report.Requests, report.Chats, report.Missed, report.Unanswered, report.Sales, report.Revenue, report.Spam} {
			require.NotZero(t, answer.Total[m], "%v", m)
		}
		require.True(t, answer.Costs)
		require.Less(t, answer.Total[report.Persons], answer.Total[report.Inquiries])
		require.Greater(t, len(answer.Rows), 6)
		totals = append(totals, answer.Total)
		require.ErrorIs(t, demo.Fill(t.Context(), d, plan, func(time.Time, int64) {}), demo.ErrInUse)
	}
	require.Equal(t, totals[0], totals[1])
}

func TestAnotherSiteIsLeftAlone(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO sites (id, key, created_at) VALUES (1, 'shop.example', 0)`)
		return err
	}))
	require.ErrorIs(t, demo.Fill(t.Context(), d, demo.Year(last), func(time.Time, int64) {}), demo.ErrInUse)
}
