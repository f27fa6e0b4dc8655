package db_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// tallies are a counter whose sums stand among the sequences, and how often it stores.
func tallies(stored *atomic.Int64) *db.Counter[string, int64] {
	return db.NewCounter(strings.Compare, func(ctx context.Context, tx db.Tx, name string, sum int64) error {
		stored.Add(1)
		_, err := tx.Exec(ctx, `INSERT INTO sequences (name, next) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET next = sequences.next + excluded.next`, name, sum)
		return err
	})
}

func tally(t *testing.T, d *db.DB, name string) int64 {
	t.Helper()
	sum, _, err := db.One(t.Context(), d.Read(), db.Only[int64], `SELECT next FROM sequences WHERE name = $1`, name)
	require.NoError(t, err)
	return sum
}

// What stays is counted once, however often its group is written: with writes that
// fail and have no savepoint, and with some that have one.
func TestCounterCountsWhatStays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var stored atomic.Int64
		counter := tallies(&stored)
		refusal := errors.New("refused")
		var writes []func()
		for i := range 60 {
			hand := d.Write
			if i%2 == 0 {
				hand = d.Attempt
			}
			writes = append(writes, func() {
				err := hand(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
					counter.Add(tx, fmt.Sprint("of ", i%2), func(sum *int64) { *sum++ })
					if i%5 == 0 {
						return refusal
					}
					return nil
				})
				assert.Equal(t, i%5 == 0, errors.Is(err, refusal))
			})
		}
		together(t, d, writes...)
		require.EqualValues(t, 24, tally(t, d, "of 0"))
		require.EqualValues(t, 24, tally(t, d, "of 1"))
		require.LessOrEqual(t, stored.Load(), int64(8), "sums are stored by the group")
	})
}

// A group that was ended in favour of another node's counts anew.
func TestCounterOfAGroupThatIsWrittenAgain(t *testing.T) {
	one, other := twoNodes(t)
	var stored atomic.Int64
	counter := tallies(&stored)
	var ran atomic.Int64
	var holding sync.WaitGroup
	holding.Add(2)
	write := func(d *db.DB, first, second string) {
		var once sync.Once
		assert.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			ran.Add(1)
			// It waits for the other in the transaction.
			if _, err := tx.Exec(ctx, `SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
				return err
			}
			counter.Add(tx, "all", func(sum *int64) { *sum++ })
			if err := mark(ctx, tx, first); err != nil {
				return err
			}
			once.Do(func() { holding.Done(); holding.Wait() })
			return mark(ctx, tx, second)
		}))
	}
	var both sync.WaitGroup
	both.Go(func() { write(one, "a", "b") })
	write(other, "b", "a")
	both.Wait()
	require.EqualValues(t, 3, ran.Load(), "one of them was ended before")
	require.EqualValues(t, 2, tally(t, one, "all"))
}
