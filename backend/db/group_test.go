package db_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

const (
	wait = time.Minute
	tick = 5 * time.Millisecond
)

// together hands the writes over so that one group takes them all, and waits
// until each has its answer. Where no transaction can be begun, each is alone.
func together(t *testing.T, d *db.DB, writes ...func()) {
	t.Helper()
	var handed sync.WaitGroup
	defer handed.Wait()
	holding, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	ended := make(chan struct{})
	handed.Go(func() { // a group of its own, behind which the others gather
		defer close(ended)
		var once sync.Once
		d.Write(context.Background(), 0, func(context.Context, db.Tx) error {
			once.Do(func() { close(holding) })
			<-release
			return nil
		})
	})
	held := true
	select {
	case <-holding:
	case <-ended:
		held = false
	}
	for i, write := range writes {
		handed.Go(write)
		if held {
			require.Eventually(t, func() bool { return d.Waiting() == i+1 }, wait, tick)
		}
	}
}

// transactions are those that writes ran in.
type transactions struct {
	mu  sync.Mutex
	all map[any]int
}

func (s *transactions) seen(tx db.Tx) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = make(map[any]int)
	}
	s.all[tx.Transaction()]++
}

// Refusals cost their neighbours no commit: an attempt's leaves the group in its
// transaction, and a write's has it written once more.
func TestRefusalsShareTheCommitOfTheirNeighbours(t *testing.T) {
	refused := errors.New("refused")
	for name, test := range map[string]struct {
		hand func(*db.DB, context.Context, int64, func(context.Context, db.Tx) error) error
		want int
	}{
		"attempts": {(*db.DB).Attempt, 1},
		"writes":   {(*db.DB).Write, 2},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				const all, every = 60, 3 // a third is refused
				var ran transactions
				var woken atomic.Int64
				news, cancel := d.Subscribe("refused")
				defer cancel()
				others, cancelOthers := d.Subscribe("nobody")
				defer cancelOthers()
				var writes []func()
				for i := range all {
					hand, end := (*db.DB).Write, error(nil)
					if i%every == 1 {
						hand, end = test.hand, refused
					}
					writes = append(writes, func() {
						err := hand(d, t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
							ran.seen(tx)
							if end != nil {
								tx.Wake("refused")
							}
							if err := put(fmt.Sprintf("%02d", i))(ctx, tx); err != nil {
								return err
							}
							if i == 1 { // an error of the engine's, which ends a transaction of PostgreSQL
								_, err := tx.Exec(ctx, "INSERT INTO nowhere VALUES (1)")
								assert.Error(t, err)
							}
							return end
						})
						if assert.Equal(t, end, err) && end == nil {
							woken.Add(1)
						}
					})
				}
				together(t, d, writes...)
				require.EqualValues(t, all-all/every, woken.Load())
				require.Len(t, ran.all, test.want, "transactions for all of them")
				require.Len(t, names(t, d), all-all/every)
				require.NotContains(t, names(t, d), "01")
				// A node that begins to listen wakes all topics.
				require.Eventually(t, func() bool { return len(news) == len(others) }, wait, tick, "what was taken back is no news")
			})
		})
	}
}

// The many writes of a burst do not fail together where each takes long: their transaction ends in time, and others follow.
func TestALongGroupIsWrittenInParts(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.Postgres(t))
	const all = 25
	var ran transactions
	var writes []func()
	for i := range all {
		writes = append(writes, func() {
			assert.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				ran.seen(tx)
				if _, err := tx.Exec(ctx, `SELECT pg_sleep(0.5)`); err != nil {
					return err
				}
				return put(fmt.Sprintf("%02d", i))(ctx, tx)
			}))
		})
	}
	together(t, d, writes...)
	require.Len(t, names(t, d), all)
	require.Greater(t, len(ran.all), 2, "each takes a third of its time")
	require.Nil(t, d.Trouble())
}

// In a transaction of PostgreSQL that has failed nothing more succeeds; a write
// that hides such an error is refused alone.
func TestHiddenErrorIsTheWritesOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		together(t, d,
			func() { assert.NoError(t, d.Write(t.Context(), 0, put("before"))) },
			func() {
				err := d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
					tx.Exec(ctx, "INSERT INTO nowhere VALUES (1)")
					return nil
				})
				assert.Equal(t, d.Engine() == db.Postgres, err != nil, "%v", err)
			},
			func() { assert.NoError(t, d.Write(t.Context(), 0, put("behind"))) })
		require.Equal(t, []string{"before", "behind"}, names(t, d))
		require.Nil(t, d.Trouble())
	})
}

// twoNodes are two nodes on one PostgreSQL with the rows "a" and "b".
func twoNodes(t *testing.T) (one, other *db.DB) {
	settings := dbtest.Postgres(t)
	one, other = dbtest.Open(t, settings), dbtest.Open(t, settings)
	for _, name := range []string{"a", "b"} {
		require.NoError(t, one.Write(t.Context(), 0, put(name)))
	}
	return one, other
}

// mark changes the row, and so locks it.
func mark(ctx context.Context, tx db.Tx, name string) error {
	_, err := tx.Exec(ctx, `UPDATE secrets SET value = value || '+' WHERE name = $1`, name)
	return err
}

// waitsForLock tells whether a transaction of the database waits for another.
func waitsForLock(t *testing.T, d *db.DB) func() bool {
	return func() bool {
		n, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		return err == nil && n > 0
	}
}

func values(t *testing.T, d *db.DB) []string {
	t.Helper()
	found, err := db.List(t.Context(), d.Read(), db.Only[string], `SELECT value FROM secrets ORDER BY name`)
	require.NoError(t, err)
	return found
}

// Groups of two nodes that change the same rows lock them in the order of the
// keys, however they came.
func TestGroupsLockInOneOrder(t *testing.T) {
	one, other := twoNodes(t)
	var ran transactions
	write := func(d *db.DB, key int64, name string, then func()) func() {
		return func() {
			assert.NoError(t, d.Write(t.Context(), key, func(ctx context.Context, tx db.Tx) error {
				ran.seen(tx)
				if _, err := tx.Exec(ctx, `SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
					return err
				}
				err := mark(ctx, tx, name)
				then()
				return err
			}))
		}
	}
	// The keys meet in one group. The first node holds "a" until the other waits.
	nothing := func() {}
	holds := make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() {
		together(t, one, write(one, 4, "a", func() {
			close(holds)
			assert.Eventually(t, waitsForLock(t, one), wait, tick)
		}), write(one, 8, "b", nothing))
	})
	<-holds
	together(t, other, write(other, 8, "b", nothing), write(other, 4, "a", nothing))
	both.Wait()
	require.Equal(t, []string{"value++", "value++"}, values(t, one))
	require.Len(t, ran.all, 2, "nothing was written again")
}

// marking changes the row in a write of the database.
type marking func(ctx context.Context, tx db.Tx, d *db.DB, name string) error

// holding marks rows. Once it may, the node holds whichever it marks first until the other waits; it tells when it does.
func holding(t *testing.T, node *db.DB, may func() bool) (marked marking, holds <-chan struct{}, ran *transactions) {
	held, ran := make(chan struct{}), new(transactions)
	var once sync.Once
	return func(ctx context.Context, tx db.Tx, d *db.DB, name string) error {
		ran.seen(tx)
		if _, err := tx.Exec(ctx, `SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
			return err
		}
		err := mark(ctx, tx, name)
		if d == node && may() {
			once.Do(func() {
				close(held)
				assert.Eventually(t, waitsForLock(t, node), wait, tick)
			})
		}
		return err
	}, held, ran
}

// writeA and writeB are two programs.
//
//go:noinline
func writeA(t *testing.T, d *db.DB, marked marking) func() {
	return func() {
		assert.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error { return marked(ctx, tx, d, "a") }))
	}
}

//go:noinline
func writeB(t *testing.T, d *db.DB, marked marking) func() {
	return func() {
		assert.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error { return marked(ctx, tx, d, "b") }))
	}
}

// Those that have no key are locked in the order of the programs, which nodes have in common.
func TestGroupsWithoutKeysLockInOneOrder(t *testing.T) {
	one, other := twoNodes(t)
	marked, holds, ran := holding(t, one, func() bool { return true })
	var both sync.WaitGroup
	both.Go(func() { together(t, one, writeA(t, one, marked), writeB(t, one, marked)) })
	<-holds
	together(t, other, writeB(t, other, marked), writeA(t, other, marked))
	both.Wait()
	require.Equal(t, []string{"value++", "value++"}, values(t, one))
	require.Len(t, ran.all, 2, "nothing was written again")
}

// Writes of their own rows are locked before the others, also where a refused
// write has all of the group run one after another.
func TestGroupsLockTheirOwnRowsFirst(t *testing.T) {
	one, other := twoNodes(t)
	var again atomic.Bool // the first node writes its group for the second time
	marked, holds, ran := holding(t, one, again.Load)
	own := func(d *db.DB) func() {
		return func() {
			assert.NoError(t, d.WriteOwn(t.Context(), 8, func(ctx context.Context, tx db.Tx) error { return marked(ctx, tx, d, "a") }))
		}
	}
	shared := func(d *db.DB) func() {
		return func() {
			assert.NoError(t, d.Write(t.Context(), 4, func(ctx context.Context, tx db.Tx) error { return marked(ctx, tx, d, "b") }))
		}
	}
	refused := func() {
		reason := errors.New("refused")
		assert.Equal(t, reason, one.Write(t.Context(), 0, func(context.Context, db.Tx) error {
			again.Store(true)
			return reason
		}))
	}
	var both sync.WaitGroup
	both.Go(func() { together(t, one, refused, own(one), shared(one)) })
	<-holds
	together(t, other, own(other), shared(other))
	both.Wait()
	require.Equal(t, []string{"value++", "value++"}, values(t, one))
	require.Len(t, ran.all, 3, "the refusal has one group written again, and nothing else")
}

// A key is locked in its turn, also where not the first of its writes locks it.
func TestGroupsLockKeysInOrder(t *testing.T) {
	one, other := twoNodes(t)
	marked, holds, ran := holding(t, one, func() bool { return true })
	own := func(d *db.DB, key int64, name string, locks bool) func() {
		return func() {
			assert.NoError(t, d.WriteOwn(t.Context(), key, func(ctx context.Context, tx db.Tx) error {
				if locks {
					if err := tx.Lock(ctx, key); err != nil {
						return err
					}
				}
				return marked(ctx, tx, d, name)
			}))
		}
	}
	var both sync.WaitGroup
	both.Go(func() {
		together(t, one, own(one, 4, "no row", false), own(one, 4, "a", true), own(one, 8, "b", true))
	})
	<-holds
	together(t, other, own(other, 4, "a", true), own(other, 8, "b", true))
	both.Wait()
	require.Equal(t, []string{"value++", "value++"}, values(t, one))
	require.Len(t, ran.all, 2, "nothing was written again")
}

// A group that PostgreSQL ends in favour of another node's is written again, as a
// group.
func TestDeadlockIsWrittenAgain(t *testing.T) {
	one, other := twoNodes(t)
	var ran transactions
	var holding sync.WaitGroup
	holding.Add(2)
	write := func(d *db.DB, first, second string) {
		var once sync.Once
		together(t, d, func() {
			assert.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				ran.seen(tx)
				if err := mark(ctx, tx, first); err != nil {
					return err
				}
				once.Do(func() { holding.Done(); holding.Wait() })
				return mark(ctx, tx, second)
			}))
		}, func() {
			assert.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				ran.seen(tx)
				return put("beside "+first)(ctx, tx)
			}))
		})
	}
	var both sync.WaitGroup
	both.Go(func() { write(one, "a", "b") })
	write(other, "b", "a")
	both.Wait()
	require.Equal(t, []string{"value++", "value++", "value", "value"}, values(t, one))
	whole := 0
	for _, writes := range ran.all {
		if writes == 2 {
			whole++
		}
	}
	require.GreaterOrEqual(t, whole, 2, "each group is committed at once")
	require.Greater(t, len(ran.all), 2, "one of them was ended before")
	require.Nil(t, one.Trouble())
	require.Nil(t, other.Trouble())
}

// Who goes away early has what f wrote to alone: f has ended, or never begins.
func TestWhoLeavesIsAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, leave := context.WithCancel(t.Context())
		ran := 0
		err := d.Write(ctx, 0, func(context.Context, db.Tx) error {
			leave()
			runtime.Gosched() // the one who waits may run now
			ran++
			return errors.New("so that it is written again")
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 1, ran)
		require.NoError(t, d.Write(t.Context(), 0, put("after")), "the group has ended")
		require.Equal(t, 1, ran, "it does not run again")
	})
}
