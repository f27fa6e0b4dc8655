package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
)

// Tx is the transaction of a write. It is asked by [List] and [One] and changed by
// [Tx.Exec]. A query may say FOR UPDATE, with SKIP LOCKED as well: SQLite, which has one writer, is not told.
type Tx struct {
	session session
	db      *DB
	notes   *notes
	lane    int64
	// hand gives a statement to the round in which it goes to the database, and
	// returns after that round; nil for a write that has the transaction for itself.
	// It returns false when there is no such round.
	hand func(*statement) bool
	// ending: nobody goes on after an error of a statement.
	ending bool
}

// session is the connection of a writer. It executes the statements in their order,
// as far as they succeed, and keeps them prepared. One that is queued is executed
// before those behind it; its error may come with theirs.
type session interface {
	begin(ctx context.Context) error
	queue(ctx context.Context, s *statement) error
	run(ctx context.Context, statements ...*statement) error
	commit(ctx context.Context) error
	rollback(ctx context.Context)
}

// statement is one of a transaction.
type statement struct {
	query   string
	args    []any
	read    func(rows) error // takes the rows of a query; nil for a change
	changed int64            // rows, by a change
	tag     string           // what PostgreSQL says it has done
}

// alone, as a statement, has the write go on when those beside it have ended.
var alone = new(statement)

// Engine is SQLite or Postgres.
func (tx Tx) Engine() string { return tx.db.engine }

// Wake wakes those who wait for news of the topic, on all nodes, once the
// transaction is committed. See [DB.Subscribe].
func (tx Tx) Wake(topic string) { tx.notes.topics = append(tx.notes.topics, topic) }

// Exec executes a statement within the transaction, with $1 for its first argument,
// and returns how many rows it changed. It is parsed once for the life of the
// database and kept for good, so its text must be one of a few: see [Parts] and
// [Padded] for statements of many rows.
func (tx Tx) Exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	s := statement{query: query, args: args}
	err = tx.do(ctx, &s)
	return s.changed, err
}

// Send is Exec for a change of which nobody needs to know how many rows it changed. On
// PostgreSQL one of [DB.WriteOwn] goes with the next statement, or with the commit.
func (tx Tx) Send(ctx context.Context, query string, args ...any) (err error) {
	s := statement{query: query, args: args}
	if !tx.ending {
		return tx.do(ctx, &s)
	}
	if s.args, err = plain(args); err != nil {
		return err
	}
	return tx.session.queue(ctx, &s)
}

// Alone is for a write of [DB.WriteOwn] that turns out to need rows of another key:
// it goes on when those beside it have ended.
func (tx Tx) Alone() {
	if tx.hand != nil {
		tx.hand(alone)
	}
}

// Lock has the transactions of other nodes that lock the same number wait until this one has
// ended. SQLite has one writer, so nothing is done there. It is not for [DB.WriteOwn].
func (tx Tx) Lock(ctx context.Context, number int64) error {
	if tx.db.engine != Postgres || slices.Contains(tx.notes.locked, number) {
		return nil
	}
	tx.notes.locked = append(tx.notes.locked, number)
	// It costs no round trip: nothing behind it is executed before it is locked.
	return tx.session.queue(ctx, &statement{query: `SELECT pg_advisory_xact_lock($1)`, args: []any{number}})
}

// ask hands the rows of a query within the transaction to read; for [List] and [One].
func (tx Tx) ask(ctx context.Context, query string, args []any, read func(rows) error) error {
	return tx.do(ctx, &statement{query: query, args: args, read: read})
}

func (tx Tx) do(ctx context.Context, s *statement) (err error) {
	if s.args, err = plain(s.args); err != nil {
		return err
	}
	if tx.hand == nil {
		return tx.session.run(ctx, s)
	}
	if !tx.hand(s) {
		return errUnguarded
	}
	return nil
}

// plain are the arguments as every driver takes them.
func plain(args []any) ([]any, error) {
	converted := false
	for i, arg := range args {
		if driver.IsValue(arg) {
			continue
		}
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, fmt.Errorf("argument $%d: %w", i+1, err)
		}
		if !converted {
			args, converted = append([]any(nil), args...), true
		}
		args[i] = value
	}
	return args, nil
}

// errUnguarded means that a write failed without a savepoint to go back to.
var errUnguarded = errors.New("a write failed without a savepoint")

// transact writes the batch in one transaction. Its error is of all of them; what
// one write was refused for stands with that write.
func (d *DB) transact(batch []*write, lane int64) error {
	if err := d.writable(); err != nil {
		return err
	}
	// The transaction outlives any one request that takes part in it. On SQLite it
	// has nothing to wait for, and a context that can end costs time in each
	// statement.
	ctx := context.Background()
	if d.engine == Postgres {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.patience())
		defer cancel()
	}
	var left notes
	err := d.transaction(ctx, func(s session) error {
		tx := Tx{session: s, db: d, notes: &left, lane: lane}
		if err := tx.beside(ctx, batch); err != nil {
			return err
		}
		for _, w := range batch {
			if d.runsBeside(w) || w.unwanted() {
				continue
			}
			if err := tx.include(ctx, w); err != nil {
				return err
			}
		}
		tx.ending = true
		if err := tx.storeCounts(ctx); err != nil {
			return fmt.Errorf("storing counts: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	// What was written into a file that is gone from its place is not durable.
	if err := d.files.check(); err != nil {
		return err
	}
	d.wakes.committed(left.topics)
	return nil
}

// transaction commits what f does, or nothing of it.
func (d *DB) transaction(ctx context.Context, f func(session) error) error {
	return d.session(ctx, func(s session) error {
		if err := s.begin(ctx); err != nil {
			return fmt.Errorf("beginning transaction: %w", err)
		}
		err := f(s)
		if err == nil {
			if err = s.commit(ctx); err != nil {
				err = fmt.Errorf("committing: %w", err)
			}
		}
		if err != nil {
			s.rollback(ctx)
		}
		return err
	})
}

// include makes the write part of the transaction, or takes back what it did and
// notes what it was refused for. Its error ends the transaction.
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
	if err := verdict(ctx, err); !w.attempt || !errors.Is(err, errUnguarded) {
		return err
	}
	w.refused = err
	tx.notes.topics, tx.notes.counts, tx.notes.locked = tx.notes.topics[:news], tx.notes.counts[:counts], tx.notes.locked[:locked]
	if err := tx.savepoint(ctx, "ROLLBACK TO SAVEPOINT one"); err != nil {
		return err
	}
	return tx.savepoint(ctx, "RELEASE SAVEPOINT one")
}

// verdict is what the error of a write means for its transaction: either the next write
// would fare no better, or it was this write's own.
func verdict(ctx context.Context, err error) error {
	if ctx.Err() != nil || outage(err) || conflict(err) {
		return err
	}
	return errUnguarded
}

func (tx Tx) savepoint(ctx context.Context, query string) error {
	if err := tx.session.run(ctx, &statement{query: query}); err != nil {
		return fmt.Errorf("keeping writes apart: %w", err)
	}
	return nil
}
