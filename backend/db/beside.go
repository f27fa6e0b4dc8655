package db

import (
	"context"
	"iter"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// On PostgreSQL each statement costs a round trip, so writes of their own rows run beside each other: each runs up to
// its next statement, these go to the database together, and each goes on with what its own has led to. SQLite has no
// round trips; there all writes run one after another.

// runsBeside tells whether the write runs beside others. One that has a savepoint does not: going back to it would take
// back what the others did since.
func (d *DB) runsBeside(w *write) bool {
	return w.own && !w.attempt && d.engine == Postgres
}

// beside runs the writes of the batch that run beside each other. Its error ends the transaction.
func (tx Tx) beside(ctx context.Context, batch []*write) error {
	all := tx.turns(ctx, batch)
	defer func() {
		for _, t := range all {
			t.stop()
		}
	}()
	running := slices.Clone(all)
	var waiting []*turn // until they are alone
	for len(running)+len(waiting) > 0 {
		if len(running) == 0 {
			running, waiting = append(running, waiting[0]), waiting[1:]
		}
		var round []*wire.Statement
		going := running[:0]
		for _, t := range running {
			switch s, more := t.next(); {
			case t.err != nil:
				return verdict(ctx, t.err)
			case !more:
			case s == alone:
				waiting = append(waiting, t)
			default:
				going, round = append(going, t), append(round, s)
			}
		}
		running = going
		if len(round) == 0 {
			continue
		}
		if err := tx.conn.Run(ctx, round...); err != nil {
			return verdict(ctx, err)
		}
	}
	others := slices.ContainsFunc(batch, func(w *write) bool { return !tx.db.runsBeside(w) })
	if len(all) == 0 || !others {
		return nil
	}
	if err := tx.conn.Run(ctx); err != nil { // what is queued is no business of theirs
		return verdict(ctx, err)
	}
	return nil
}

// turn runs the writes of one key one after another, or one without a key. next goes on to the next statement.
type turn struct {
	next func() (s *wire.Statement, more bool)
	stop func()
	err  error // of a write
}

func (tx Tx) turns(ctx context.Context, batch []*write) (turns []*turn) {
	for len(batch) > 0 {
		n := 1
		for n < len(batch) && batch[n].key == batch[0].key && batch[0].key != 0 {
			n++
		}
		if ofKey := batch[:n]; slices.ContainsFunc(ofKey, tx.db.runsBeside) {
			t := new(turn)
			t.next, t.stop = iter.Pull(func(hand func(*wire.Statement) bool) { t.err = tx.oneByOne(ctx, ofKey, hand) })
			turns = append(turns, t)
		}
		batch = batch[n:]
	}
	return turns
}

func (tx Tx) oneByOne(ctx context.Context, batch []*write, hand func(*wire.Statement) bool) error {
	tx.hand, tx.ending = hand, true
	if len(batch) > 1 { // it may not be the first that locks its key, and then others would be locked before
		if err := tx.Lock(ctx, batch[0].key); err != nil {
			return err
		}
	}
	for _, w := range batch {
		if !tx.db.runsBeside(w) || w.unwanted() {
			continue
		}
		if err := w.apply(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}
