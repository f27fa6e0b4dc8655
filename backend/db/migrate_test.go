package db_test

import (
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
