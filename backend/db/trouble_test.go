package db_test

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// A database that takes no writes fails a group in one transaction, says why and
// since when, and is well again by itself.
func TestTroubleBeginsAndEnds(t *testing.T) {
	for name, test := range map[string]struct {
		settings   func(testing.TB) db.Settings
		words      string
		begin, end []string
	}{
		"a full disk": {dbtest.SQLite, "the disk of the database is full",
			// There are no more pages than there are, and what fits into them is refused as well.
			[]string{"PRAGMA max_page_count = 1", "CREATE TEMP TRIGGER full_disk BEFORE INSERT ON sequences BEGIN SELECT RAISE(ABORT, 'no space left'); END"},
			[]string{"DROP TRIGGER full_disk", "PRAGMA max_page_count = 1000000"}},
		"a read-only file": {dbtest.SQLite, "the database is read-only",
			[]string{"PRAGMA query_only = ON"}, []string{"PRAGMA query_only = OFF"}},
		"a full disk of PostgreSQL": {dbtest.Postgres, "the disk of the database is full",
			[]string{`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$;
			CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON secrets FOR EACH ROW EXECUTE FUNCTION full_disk();
			CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON sequences FOR EACH ROW EXECUTE FUNCTION full_disk()`},
			[]string{"DROP FUNCTION full_disk CASCADE"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := dbtest.Open(t, test.settings(t))
			require.NoError(t, d.Check(t.Context()))
			for _, statement := range test.begin {
				require.NoError(t, d.ExecWriter(t.Context(), statement))
			}
			began := time.Now()
			const all = 30
			var ran transactions
			var failed atomic.Int64
			var writes []func()
			for i := range all {
				hand := (*db.DB).Write
				if i%2 == 0 {
					hand = (*db.DB).Attempt
				}
				writes = append(writes, func() {
					err := hand(d, t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
						ran.seen(tx)
						_, err := tx.Exec(ctx, `INSERT INTO secrets (name, value) VALUES ($1, $2)`, fmt.Sprint(i), fmt.Appendf(nil, "%09000d", i))
						return err
					})
					if assert.Error(t, err) {
						failed.Add(1)
					}
				})
			}
			together(t, d, writes...)
			require.EqualValues(t, all, failed.Load())
			require.LessOrEqual(t, len(ran.all), 1, "what fails for all is not tried for each")
			require.Empty(t, names(t, d))
			trouble := d.Trouble()
			require.NotNil(t, trouble)
			require.ErrorContains(t, trouble, test.words)
			require.WithinRange(t, trouble.Since, began, time.Now())
			require.ErrorContains(t, d.Check(t.Context()), test.words)
			require.False(t, d.Lost())

			for _, statement := range test.end {
				require.NoError(t, d.ExecWriter(t.Context(), statement))
			}
			require.Eventually(t, func() bool { return d.Trouble() == nil }, wait, tick)
			require.NoError(t, d.Check(t.Context()))
			require.NoError(t, d.Write(t.Context(), 0, put("after")))
		})
	}
}

// The log of a SQLite database stays at its place whichever connections come and
// go, or it would seem lost.
func TestLogStaysWhileConnectionsComeAndGo(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	for i := range 3 {
		require.NoError(t, d.Write(t.Context(), 0, put(fmt.Sprint(i))))
		for _, pool := range []*sql.DB{d.Writer(), d.Read().DB} {
			pool.SetMaxIdleConns(-1) // closes those that nobody uses
			pool.SetMaxIdleConns(2)
		}
		require.NoError(t, d.Check(t.Context()))
	}
}
