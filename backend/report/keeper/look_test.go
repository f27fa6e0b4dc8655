package keeper

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// A look reads the visits of the last minutes again, and writes the day of those alone that have gone on.
func TestDaysAreWrittenForWhatHasChanged(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := open(t, d)
		columns := func() int64 {
			require.NoError(t, h.keeper.Keep(t.Context()))
			n, _, err := db.One(t.Context(), d.Read(), db.Only[int64], `SELECT COUNT(*) FROM report_columns`)
			require.NoError(t, err)
			return n
		}
		h.visit()
		h.exec(`UPDATE visits SET started_at = $1, last_at = $1`, h.now.UnixMilli())
		h.exec(`DELETE FROM report_due`)
		require.Positive(t, columns())

		h.exec(`DELETE FROM report_columns`) // which shows what is written
		h.now = h.now.Add(time.Second)
		require.Zero(t, columns(), "nothing has changed")
		h.exec(`UPDATE visits SET views = views + 1`)
		require.Positive(t, columns(), "the visit went on")

		h.exec(`DELETE FROM report_columns`)
		h.reopen()
		require.Positive(t, columns(), "one that has just begun knows nothing")
	})
}
