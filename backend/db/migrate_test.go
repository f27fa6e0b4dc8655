package db_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// A command may make the tables at the same time as the server.
func TestTablesAreMadeTogether(t *testing.T) {
	for range 2 {
		settings := dbtest.SQLite(t)
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
	}
}

// Tables that an unreleased program has made stay as they are.
func TestTablesOfAnUnreleasedProgramAreRefused(t *testing.T) {
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
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
