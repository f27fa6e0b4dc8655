package transfer_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/demo"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// A file is taken whole, or nothing of it stays. What was taken can be read by those who show it, and be written again.
func FuzzImport(f *testing.F) {
	source := open(f, dbtest.SQLite(f))
	shop(f, source, 8, 1)
	whole := string(export(f, source, demo.Site))
	lines := strings.SplitAfter(whole, "\n")
	f.Add(whole)
	f.Add(strings.Join(lines[:len(lines)/2], ""))
	for _, pair := range [][2]string{{"null", "1"}, {"false", "true"}, {`"visitor"`, `"operator"`}, {"1,", "0,"}, {"17", "-17"}, {`{"piece":"`, `{"piece":"AAAA`}, {`"end"`, `"table"`}, {`"open"`, `"closed"`}} {
		f.Add(strings.Replace(whole, pair[0], pair[1], 1))
		f.Add(strings.ReplaceAll(whole, pair[0], pair[1]))
	}
	d := open(f, dbtest.SQLite(f))
	account(f, d, "anna")
	before := stored(f, d.DB)
	f.Fuzz(func(t *testing.T, text string) {
		done, err := load(t.Context(), d, []byte(text), "fuzzed")
		if err == nil {
			look := func() {
				require.NoError(t, d.Sites.Refresh(t.Context()))
				made, err := d.Sites.OfKey(t.Context(), "fuzzed")
				require.NoError(t, err)
				_, err = d.Leads.List(t.Context(), scope.Of(made.ID), lead.Cursor{}, 100)
				require.NoError(t, err)
				end := period.DateOf(last, time.UTC)
				_, err = d.Reports.Ask(t.Context(), report.Question{SiteIDs: []int64{made.ID}, By: []report.Dimension{report.Campaign}, Period: period.Period{First: end - 400, Last: end, Step: period.Month, Zone: time.UTC},
					Credit: credit.Rule{Model: credit.Models[0], Window: 30 * 24 * time.Hour}, PersonWindow: 30 * 24 * time.Hour})
				require.NoError(t, err)
			}
			look()
			require.NoError(t, d.Figures.Keep(t.Context()))
			look()
			require.NotNil(t, done.Data)
			again := export(t, d, "fuzzed")
			_, err := load(t.Context(), d, again, "fuzzed2")
			require.NoError(t, err, "what was taken is taken again")
			for _, key := range []string{"fuzzed", "fuzzed2"} {
				forget(t, d, key)
			}
		}
		require.Equal(t, before, stored(t, d.DB))
	})
}

// forget has the site be one of which an import has broken off, and takes it back.
func forget(t *testing.T, d *backend.Desk, key string) {
	t.Helper()
	require.NoError(t, d.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE sites SET arriving_at = 1 WHERE key = $1`, key)
		return err
	}))
	require.NoError(t, subjects(d).TakeBack(t.Context(), key, quiet))
}
