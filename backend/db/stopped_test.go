package db_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// A node that stops in the middle of a transaction loses it: another gets the rows that it
// has locked, and what the node was to write is written once it goes on.
func TestStoppedTransactionGivesItsRowsBack(t *testing.T) {
	t.Parallel()
	settings := dbtest.Postgres(t)
	stopping, other := dbtest.Open(t, settings), dbtest.Open(t, settings)
	add := func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO sequences (name, next) VALUES ('shared', 1)
			ON CONFLICT (name) DO UPDATE SET next = sequences.next + 1`)
		return err
	}
	stopped, went := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var both sync.WaitGroup
	both.Go(func() {
		assert.NoError(t, stopping.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			if err := add(ctx, tx); err != nil {
				return err
			}
			once.Do(func() { close(stopped) })
			<-went
			return nil
		}))
	})
	<-stopped
	assert.NoError(t, other.Write(t.Context(), 0, add))
	close(went)
	both.Wait()
	next, _, err := db.One(t.Context(), other.Read(), db.Only[int64], `SELECT next FROM sequences WHERE name = 'shared'`)
	require.NoError(t, err)
	require.EqualValues(t, 2, next)
	require.Nil(t, stopping.Trouble())
}
