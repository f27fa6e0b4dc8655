// Package journaltest reads the journal, for the tests of what writes it.
package journaltest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// Entries are all of the database's journal, oldest first. On PostgreSQL nobody reads an entry before all transactions
// that may precede it have ended, those of other databases too: Entries waits for that, so others read it afterwards.
func Entries(t testing.TB, d *db.DB) (entries []journal.Entry) {
	t.Helper()
	count, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM journal`)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		entries, err = journal.New(d).After(t.Context(), journal.Position{}, 10_000)
		return err == nil && len(entries) >= count
	}, time.Minute, 10*time.Millisecond)
	return entries
}
