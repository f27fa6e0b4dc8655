package db_test

import (
	"context"
	"database/sql"
	"sync"
	"testing"
	"time"

	"github.com/pressly/goose/v3/lock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

var engines = map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres}

// A command may make the tables at the same time as the server.
func TestTablesAreMadeTogether(t *testing.T) {
	for name, settings := range engines {
		t.Run(name, func(t *testing.T) {
			settings := settings(t)
			var making sync.WaitGroup
			for range 3 {
				making.Go(func() {
					d, err := db.Open(t.Context(), settings, zap.NewNop())
					if assert.NoError(t, err) {
						assert.NoError(t, d.Migrate(t.Context()))
						assert.NoError(t, d.Close())
					}
				})
			}
			making.Wait()
			pending, err := dbtest.Open(t, settings).Pending(t.Context())
			require.NoError(t, err)
			require.Zero(t, pending)
		})
	}
}

// Where the tables are as they should be, nobody waits for another who looks at them too.
func TestTablesThatAreMadeAreLeft(t *testing.T) {
	settings := dbtest.Postgres(t)
	d := dbtest.Open(t, settings)
	other, err := sql.Open("pgx", settings.Source)
	require.NoError(t, err)
	defer other.Close()
	other.SetMaxOpenConns(1)
	_, err = other.ExecContext(t.Context(), `SELECT pg_advisory_lock($1)`, lock.DefaultLockID)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, d.Migrate(ctx))
}

// Tables that an unreleased program has made stay as they are.
func TestTablesOfAnUnreleasedProgramAreRefused(t *testing.T) {
	for name, settings := range engines {
		t.Run(name, func(t *testing.T) {
			d, err := db.Open(t.Context(), settings(t), zap.NewNop())
			require.NoError(t, err)
			defer d.Close()
			require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				for _, statement := range []string{
					`CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id BIGINT NOT NULL, is_applied BOOLEAN NOT NULL)`,
					`INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (1, 0, TRUE), (2, 50, TRUE)`,
				} {
					if _, err := tx.Exec(ctx, statement); err != nil {
						return err
					}
				}
				return nil
			}))
			require.ErrorIs(t, d.Migrate(t.Context()), db.ErrUnreleased)
			_, err = d.Pending(t.Context())
			require.ErrorIs(t, err, db.ErrUnreleased)
			require.Error(t, d.Write(t.Context(), 0, put("nothing was made")))
		})
	}
}
