package db_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// What is deleted is nowhere in the file, though SQLite has moved it from page to page while the table grew. What stays is
// as it was.
func TestDeletedRowsLeaveTheFile(t *testing.T) {
	settings := dbtest.SQLite(t)
	d := dbtest.Open(t, settings)
	ctx, random := t.Context(), rand.New(rand.NewPCG(1, 2))
	do := func(query string, args ...any) {
		t.Helper()
		require.NoError(t, d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, query, args...)
			return err
		}))
	}
	do(`CREATE TABLE texts (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID`)
	do(`CREATE INDEX texts_by_text ON texts (text)`)
	const rows = 600
	for i := range rows {
		kind := []string{"left", "told"}[i%2]
		do(`INSERT INTO texts (name, text) VALUES ($1, $2)`, fmt.Sprint(random.Uint64()), kind+strings.Repeat(" "+kind, random.IntN(300)))
	}
	before, err := db.List(ctx, d.Read(), db.Only[string], `SELECT name || text FROM texts WHERE text LIKE 'left%' ORDER BY name`)
	require.NoError(t, err)
	do(`DELETE FROM texts WHERE text LIKE 'told%'`)
	require.NoError(t, d.Scrub(ctx))

	for _, end := range []string{"", "-wal"} {
		content, err := os.ReadFile(settings.Source + end)
		require.NoError(t, err)
		require.Zero(t, bytes.Count(content, []byte("told told")), "in the file%s", end) // which would be much to print
	}
	after, err := db.List(ctx, d.Read(), db.Only[string], `SELECT name || text FROM texts ORDER BY name`)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NoError(t, d.Examine(ctx))
	do(`INSERT INTO texts (name, text) VALUES ('new', 'new')`)
}
