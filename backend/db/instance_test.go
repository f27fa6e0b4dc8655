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

// Numbers of days are above the day's first, on all nodes, and go on where the clock of one is behind.
func TestNumbersOfDays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		one, other := db.DaySequence(d, "shared", 10), db.DaySequence(d, "shared", 10)
		const first, later = 20_000 << db.DayBits, 20_003 << db.DayBits
		for _, step := range []struct {
			of             *db.Sequence
			least, expects int64
		}{
			{one, first, first}, {one, first, first + 1}, {other, first, first + 10}, {one, first, first + 2},
			{other, later, later}, {one, first, first + 3}, {one, later, later + 10}, {one, first, later + 11}, {other, later, later + 1},
			{one, 1, later + 12}, {other, first + 5, later + 2},
		} {
			number, err := step.of.NextFrom(t.Context(), step.least)
			require.NoError(t, err)
			require.Equal(t, step.expects, number)
		}
		taken, err := db.DaySequence(d, "shared", 10).NextFrom(t.Context(), 1)
		require.NoError(t, err)
		require.EqualValues(t, later+20, taken)
	})
}
