package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// Numbers are there for others while the transaction for which some were taken is open.
func TestNumbersDoNotWaitForTransactions(t *testing.T) {
	settings := dbtest.Postgres(t)
	one, other := dbtest.Open(t, settings), dbtest.Open(t, settings)
	var taken, next int64
	require.NoError(t, one.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) (err error) {
		if err := put("begun")(ctx, tx); err != nil {
			return err
		}
		if taken, err = one.Sequence("shared", 1).Take(ctx, tx, 3); err != nil {
			return err
		}
		next, err = other.Sequence("shared", 10).Next(ctx)
		return err
	}))
	require.EqualValues(t, 1, taken)
	require.EqualValues(t, 4, next)
}
