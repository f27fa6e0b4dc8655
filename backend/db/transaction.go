package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// Tx is the transaction of a write. It is asked by [List] and [One] and changed by [Tx.Exec]. A query may say FOR
// UPDATE, with SKIP LOCKED as well: SQLite, which has one writer, is not told.
type Tx struct {
	conn  wire.Conn
	db    *DB
	notes *notes
	lane  int64
	// hand gives a statement to the round in which it goes to the database, and returns after that round; nil for a
	// write that has the transaction for itself. It returns false when there is no such round.
	hand func(*wire.Statement) bool
	// ending: nobody goes on after an error of a statement.
	ending bool
}

// alone, as a statement, has the write go on when those beside it have ended.
var alone = new(wire.Statement)

// Engine is SQLite or Postgres.
func (tx Tx) Engine() string { return tx.db.engine }

// Wake wakes those who wait for news of the topic, on all nodes, once the transaction is committed. See
// [topic.Topics.Subscribe].
func (tx Tx) Wake(topic string) { tx.notes.topics = append(tx.notes.topics, topic) }

// Exec executes a statement within the transaction, with $1 for its first argument, and returns how many rows it
// changed. It is parsed once for the life of the database and kept for good, so its text must be one of a few: see
// [Parts] and [Padded] for statements of many rows.
func (tx Tx) Exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	s := wire.Statement{Query: query, Args: args}
	err = tx.do(ctx, &s)
	return s.Changed, err
}

// Send is Exec for a change of which nobody needs to know how many rows it changed. On PostgreSQL one of [DB.WriteOwn]
// goes with the next statement, or with the commit.
func (tx Tx) Send(ctx context.Context, query string, args ...any) (err error) {
	s := wire.Statement{Query: query, Args: args}
	if !tx.ending {
		return tx.do(ctx, &s)
	}
	if s.Args, err = wire.Plain(args); err != nil {
		return err
	}
	return tx.conn.Queue(ctx, &s)
}

// Alone is for a write of [DB.WriteOwn] that turns out to need rows of another key: it goes on when those beside it
// have ended.
func (tx Tx) Alone() {
	if tx.hand != nil {
		tx.hand(alone)
	}
}

// Lock has the transactions of other nodes that lock the same number wait until this one has ended. SQLite has one
// writer, so nothing is done there. A write of [DB.WriteOwn] locks before it does anything else, and no number but its
// key: so several are locked in the order of their keys.
func (tx Tx) Lock(ctx context.Context, number int64) error {
	if tx.db.engine != Postgres || slices.Contains(tx.notes.locked, number) {
		return nil
	}
	tx.notes.locked = append(tx.notes.locked, number)
	// It costs no round trip: nothing behind it is executed before it is locked.
	return tx.conn.Queue(ctx, &wire.Statement{Query: `SELECT pg_advisory_xact_lock($1)`, Args: []any{number}})
}

// ask hands the rows of a query within the transaction to read; for [List] and [One].
func (tx Tx) ask(ctx context.Context, query string, args []any, read func(wire.Rows) error) error {
	return tx.do(ctx, &wire.Statement{Query: query, Args: args, Read: read})
}

func (tx Tx) do(ctx context.Context, s *wire.Statement) (err error) {
	if s.Args, err = wire.Plain(s.Args); err != nil {
		return err
	}
	if tx.hand == nil {
		return tx.conn.Run(ctx, s)
	}
	if !tx.hand(s) {
		return wire.ErrUnguarded
	}
	return nil
}

// transact writes the batch in one transaction, but for those at its end that are left when the others have taken a third
// of its time: the many writes of a burst do not fail together on a slow server. Its error is of all of them; what one
// write was refused for stands with that write.
func (d *DB) transact(batch []*write, lane int64) (left []*write, err error) {
	if err := d.writable(); err != nil {
		return nil, err
	}
	// The transaction outlives any one request that takes part in it. On SQLite it has nothing to wait for, and a
	// context that can end costs time in each statement.
	ctx, patience := context.Background(), d.patience()
	if d.engine == Postgres {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	var noted notes
	err = d.transaction(ctx, func(conn wire.Conn) error {
		tx := Tx{conn: conn, db: d, notes: &noted, lane: lane}
		if err := tx.beside(ctx, batch); err != nil {
			return err
		}
		var first time.Time // when one had been written, and with it what all of them wait for: a connection, a lock
		for i, w := range batch {
			if d.runsBeside(w) || w.unwanted() {
				continue
			}
			if !first.IsZero() && time.Since(first) > patience/3 {
				left = batch[i:]
				break
			}
			if err := tx.include(ctx, w); err != nil {
				return err
			}
			if first.IsZero() {
				first = time.Now()
			}
		}
		tx.ending = true
		if err := tx.storeCounts(ctx); err != nil {
			return fmt.Errorf("storing counts: %w", err)
		}
		return nil
	})
	if err == nil {
		err = d.lost() // what was written into a file that is gone from its place is not durable
	}
	if err != nil {
		return nil, err
	}
	d.Wake(noted.topics...)
	return left, nil
}

// transaction commits what f does, or nothing of it.
func (d *DB) transaction(ctx context.Context, f func(wire.Conn) error) error {
	return d.use(ctx, func(conn wire.Conn) error {
		if err := conn.Begin(ctx); err != nil {
			return fmt.Errorf("beginning transaction: %w", err)
		}
		err := f(conn)
		if err == nil {
			if err = conn.Commit(ctx); err != nil {
				err = fmt.Errorf("committing: %w", err)
			}
		}
		if err != nil {
			conn.Rollback(ctx)
		}
		return err
	})
}

// include makes the write part of the transaction, or takes back what it did and notes what it was refused for. Its
// error ends the transaction.
func (tx Tx) include(ctx context.Context, w *write) error {
	if w.attempt {
		if err := tx.savepoint(ctx, "SAVEPOINT one"); err != nil {
			return err
		}
	}
	news, counts, locked := len(tx.notes.topics), len(tx.notes.counts), len(tx.notes.locked)
	err := w.apply(ctx, tx)
	if err == nil && w.attempt {
		err = tx.savepoint(ctx, "RELEASE SAVEPOINT one") // fails on PostgreSQL when f has hidden an error
	}
	if err == nil {
		return nil
	}
	if err := verdict(ctx, err); !w.attempt || !errors.Is(err, wire.ErrUnguarded) {
		return err
	}
	w.refused = err
	tx.notes.topics, tx.notes.counts, tx.notes.locked = tx.notes.topics[:news], tx.notes.counts[:counts], tx.notes.locked[:locked]
	if err := tx.savepoint(ctx, "ROLLBACK TO SAVEPOINT one"); err != nil {
		return err
	}
	return tx.savepoint(ctx, "RELEASE SAVEPOINT one")
}

// verdict is what the error of a write means for its transaction: either the next write would fare no better, or it was
// this write's own.
func verdict(ctx context.Context, err error) error {
	if ctx.Err() != nil || faultOf(err) != wire.None {
		return err
	}
	return wire.ErrUnguarded
}

func (tx Tx) savepoint(ctx context.Context, query string) error {
	if err := tx.conn.Run(ctx, &wire.Statement{Query: query}); err != nil {
		return fmt.Errorf("keeping writes apart: %w", err)
	}
	return nil
}
