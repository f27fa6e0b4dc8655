package db_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// steps are what writes did, in the order in which they did it.
type steps struct {
	mu  sync.Mutex
	all []string
}

func (s *steps) did(step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, step)
}

// putTwice is a write of two statements. Between them, it may have to be alone.
func (s *steps) putTwice(name string, alone bool) func(context.Context, db.Tx) error {
	return func(ctx context.Context, tx db.Tx) error {
		s.did(name + "1")
		if err := put(name+"1")(ctx, tx); err != nil {
			return err
		}
		if alone {
			tx.Alone()
		}
		s.did(name + "2")
		return put(name+"2")(ctx, tx)
	}
}

// The statements of writes of different keys go to PostgreSQL together, those of one
// key one after another, and a write that has to be alone goes on at the end.
func TestOwnWritesRunBesideEachOther(t *testing.T) {
	const lane = 4 // keys of one group
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var s steps
		own := func(key int64, name string, alone bool) func() {
			return func() { assert.NoError(t, d.WriteOwn(t.Context(), key, s.putTwice(name, alone))) }
		}
		together(t, d,
			own(1*lane, "a", false), own(2*lane, "b", true), own(3*lane, "c", false), own(3*lane, "d", false),
			func() { assert.NoError(t, d.Write(t.Context(), 2*lane, s.putTwice("e", true))) })
		if d.Engine() == db.Postgres {
			require.Equal(t, []string{"a1", "b1", "c1", "a2", "c2", "d1", "d2", "b2", "e1", "e2"}, s.all)
		} else {
			require.Equal(t, []string{"a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2", "e1", "e2"}, s.all)
		}
		require.Equal(t, slices.Sorted(slices.Values(s.all)), names(t, d))
	})
}

// An own write that fails, for a reason of its own or of the database's, is refused
// alone; so is one that panics.
func TestOwnWritesFailAlone(t *testing.T) {
	refused := errors.New("refused")
	fail := map[string]func(context.Context, db.Tx) error{
		"of its own": func(context.Context, db.Tx) error { return refused },
		"of the database's": func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO secrets (name, value) VALUES ('twice', ''), ('twice', '')`)
			return err
		},
		"that it hides": func(ctx context.Context, tx db.Tx) error {
			tx.Exec(ctx, `INSERT INTO secrets (name, value) VALUES ('twice', ''), ('twice', '')`)
			return refused
		},
		"of what it sends": func(ctx context.Context, tx db.Tx) error {
			return tx.Send(ctx, `INSERT INTO secrets (name, value) VALUES ('twice', ''), ('twice', '')`)
		},
		"of an argument that it sends": func(ctx context.Context, tx db.Tx) error {
			if err := tx.Send(ctx, `INSERT INTO secrets (name, value) VALUES ('before', '')`); err != nil {
				return err
			}
			var next any = "no number" // which SQLite would take
			if tx.Engine() == db.SQLite {
				next = nil
			}
			return tx.Send(ctx, `INSERT INTO sequences (name, next) VALUES ('x', $1)`, next)
		},
		"of an argument": func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO secrets (name, value) VALUES ($1, 'x')`, struct{}{})
			return err
		},
		"of a query": func(ctx context.Context, tx db.Tx) error {
			_, _, err := db.One(ctx, tx, db.Only[int64], `SELECT name FROM secrets ORDER BY name`)
			return err
		},
		"a panic": func(context.Context, db.Tx) error { panic("at the disco") },
	}
	for name, end := range fail {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				var ran transactions
				var writes []func()
				for i := range 9 {
					write := put(fmt.Sprint(i))
					writes = append(writes, func() {
						err := d.WriteOwn(t.Context(), int64(4*i), func(ctx context.Context, tx db.Tx) error {
							ran.seen(tx)
							if err := write(ctx, tx); err != nil || i != 4 {
								return err
							}
							return end(ctx, tx)
						})
						assert.Equal(t, i == 4, err != nil, "%v", err)
					})
				}
				together(t, d, writes...)
				require.Equal(t, []string{"0", "1", "2", "3", "5", "6", "7", "8"}, names(t, d))
				require.Len(t, ran.all, 2, "transactions for all of them")
				require.Nil(t, d.Trouble())
			})
		})
	}
}

// What own writes send is there for those behind them, whether these ask beside others
// or have the transaction for themselves.
func TestWhatIsSentIsThereForTheNext(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		count := func(n int64) func(context.Context, db.Tx) error {
			return func(ctx context.Context, tx db.Tx) error {
				found, _, err := db.One(ctx, tx, db.Only[int64], `SELECT COUNT(*) FROM secrets`)
				assert.Equal(t, n, found)
				return err
			}
		}
		send := func(ctx context.Context, tx db.Tx) error {
			return tx.Send(ctx, `INSERT INTO secrets (name, value) VALUES ('sent', '')`)
		}
		together(t, d,
			func() { assert.NoError(t, d.WriteOwn(t.Context(), 4, send)) },
			func() { assert.NoError(t, d.WriteOwn(t.Context(), 4, count(1))) },
			func() { assert.NoError(t, d.Write(t.Context(), 4, put("put"))) },
			func() { assert.NoError(t, d.Write(t.Context(), 4, count(2))) })
		require.Equal(t, []string{"put", "sent"}, names(t, d))
	})
}

// What an own write asks is answered to it, whoever asks beside it.
func TestOwnWritesGetTheirOwnAnswers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var writes []func()
		for i := range 50 {
			writes = append(writes, func() {
				var found []string
				var changed int64
				assert.NoError(t, d.WriteOwn(t.Context(), int64(4*i), func(ctx context.Context, tx db.Tx) (err error) {
					name := fmt.Sprintf("%02d", i)
					for n := range i % 3 {
						if err := put(fmt.Sprint(name, n))(ctx, tx); err != nil {
							return err
						}
					}
					if found, err = db.List(ctx, tx, db.Only[string], `SELECT name FROM secrets WHERE name LIKE $1 ORDER BY name`, name+"%"); err != nil {
						return err
					}
					changed, err = tx.Exec(ctx, `UPDATE secrets SET value = 'seen' WHERE name LIKE $1`, name+"%")
					return err
				}))
				assert.Len(t, found, i%3)
				assert.EqualValues(t, i%3, changed)
			})
		}
		together(t, d, writes...)
		require.Len(t, names(t, d), 49)
	})
}
