package demo_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/demo"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var last = time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)

// figures are the year's, by the dimension.
func figures(t *testing.T, d *db.DB, by report.Dimension) report.Answer {
	t.Helper()
	keys, err := key.Open(t.Context(), d, time.Now)
	require.NoError(t, err)
	site, found, err := db.One(t.Context(), d.Read(), db.Only[int64], `SELECT id FROM sites WHERE key = 'demo-shop'`)
	require.NoError(t, err)
	require.True(t, found)
	end := period.DateOf(last, time.UTC)
	answer, err := report.New(d, keys, time.Now).Ask(t.Context(), report.Question{SiteIDs: []int64{site}, By: []report.Dimension{by},
		Period: period.Period{First: end - 400, Last: end, Step: period.Month, Zone: time.UTC}, Credit: credit.Rule{Model: credit.Models[0], Window: 30 * 24 * time.Hour}, PersonWindow: 30 * 24 * time.Hour})
	require.NoError(t, err)
	return answer
}

// The year is of everything that reports are about, and the same each time. A database in use is left alone.
func TestYear(t *testing.T) {
	plan := demo.Year(last)
	plan.Visits = 3000
	var totals []report.Figures
	var places []report.Row
	for _, settings := range []db.Settings{dbtest.SQLite(t), dbtest.Postgres(t)} {
		d := dbtest.Open(t, settings)
		days := 0
		require.NoError(t, demo.Fill(t.Context(), d, plan, func(time.Time, int64) { days++ }))
		require.Equal(t, 365, days)
		answer := figures(t, d, report.Channel)
		require.InDelta(t, plan.Visits, answer.Total[report.Visits]+answer.Total[report.Bots], 100)
		for _, m := range []report.Metric{report.Bots, report.Calls, report.Requests, report.Chats, report.Callbacks, report.Missed, report.Unanswered, report.Sales, report.Revenue, report.Spam} {
			require.NotZero(t, answer.Total[m], "%v", m)
		}
		require.True(t, answer.Costs)
		require.Less(t, answer.Total[report.Persons], answer.Total[report.Inquiries])
		require.Greater(t, len(answer.Rows), 6)
		totals = append(totals, answer.Total)
		from := figures(t, d, report.City).Rows
		require.Greater(t, len(from), 10)
		if places == nil {
			places = from
		}
		require.ElementsMatch(t, places, from) // they have no order
		failsWithOrders(t, d)
		require.ErrorIs(t, demo.Fill(t.Context(), d, plan, func(time.Time, int64) {}), demo.ErrInUse)
	}
	require.Equal(t, totals[0], totals[1])
}

// On the last day the shop fails with orders, of which leads tell.
func TestAFormFails(t *testing.T) {
	plan := demo.Year(last)
	plan.Visits, plan.Days = 3000, 10
	d := dbtest.Open(t, dbtest.SQLite(t))
	require.NoError(t, demo.Fill(t.Context(), d, plan, func(time.Time, int64) {}))
	failsWithOrders(t, d)
	days, err := db.List(t.Context(), d.Read(), db.Only[int64], `SELECT DISTINCT at / 86400000 FROM leads WHERE site_error = 500`)
	require.NoError(t, err)
	require.Equal(t, []int64{db.Day(last) - 1}, days)
}

// failsWithOrders expects that the shop fails with orders, and with nothing else.
func failsWithOrders(t *testing.T, d *db.DB) {
	t.Helper()
	now := func() time.Time { return last.Add(-time.Minute) }
	failing, err := form.New(d, now).FailingOf(t.Context(), scope.All(), func(int64, string) bool { return true })
	require.NoError(t, err)
	require.Len(t, failing, 1)
	require.Equal(t, "/order", failing[0].Path)
	known, err := form.New(d, now).List(t.Context(), scope.All())
	require.NoError(t, err)
	require.Len(t, known, 2)
	wrong, err := incident.New(d, now).Now(t.Context(), scope.All())
	require.NoError(t, err)
	require.Len(t, wrong, 1)
	require.Equal(t, incident.Form, wrong[0].Kind)
}

func TestAnotherSiteIsLeftAlone(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO sites (id, key, created_at) VALUES (1, 'shop.example', 0)`)
		return err
	}))
	require.ErrorIs(t, demo.Fill(t.Context(), d, demo.Year(last), func(time.Time, int64) {}), demo.ErrInUse)
}
