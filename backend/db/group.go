package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/uptrace/bun"
)

const (
	// groupSize bounds how many writes one commit takes together.
	groupSize = 512
	// transactTimeout ends a transaction that hangs on a lost connection.
	transactTimeout = 10 * time.Second
)

// Tx is the transaction of a write. Queries made with bun run on it as on any
// bun.IDB; those that run for every page view use [Tx.Prepared].
type Tx struct {
	bun.Tx
	db     *DB
	topics *[]string
}

// Prepared is the statement for the query, with $1 for its first argument,
// parsed once for the life of the database.
func (tx Tx) Prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := tx.db.stmts.known(query); stmt != nil {
		return tx.Tx.Tx.StmtContext(ctx, stmt), nil
	}
	return tx.Tx.Tx.PrepareContext(ctx, query)
}

// Engine is SQLite or Postgres.
func (tx Tx) Engine() string { return tx.db.engine }

// Wake wakes those who wait for news of the topic, on all nodes, once the
// transaction is committed. See [DB.Subscribe].
func (tx Tx) Wake(topic string) { *tx.topics = append(*tx.topics, topic) }

// Write runs f in a transaction, which it shares with other writes of the same
// moment, and returns nil once the transaction is durable. When f returns an
// error or panics, nothing that f did stays, and the others are unaffected.
//
// f may run more than once, so it must have no effect but through tx, and must
// set anew what it hands to its caller. Writes of the same key run one after
// another on this node; a key of 0 means that it does not matter.
//
// When ctx ends before the commit, Write returns its error, and the write may
// have happened or not.
func (d *DB) Write(ctx context.Context, key int64, f func(context.Context, Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &write{ctx: ctx, f: f, done: make(chan error, 1)}
	if err := d.groups[uint64(key)%uint64(len(d.groups))].hand(w); err != nil {
		return err
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

type write struct {
	ctx  context.Context
	f    func(context.Context, Tx) error
	done chan error
}

// group gathers the writes that come while the previous commit is under way.
type group struct {
	mu     sync.RWMutex // held for reading while handing over, for writing to close
	queue  chan *write
	closed bool
}

func newGroups(n int) []*group {
	groups := make([]*group, n)
	for i := range groups {
		groups[i] = &group{queue: make(chan *write, groupSize)}
	}
	return groups
}

func (g *group) hand(w *write) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.closed {
		return ErrClosed
	}
	select {
	case g.queue <- w:
		return nil
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}

func (g *group) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.closed = true
		close(g.queue)
	}
}

// run commits groups until the queue is closed and empty.
func (d *DB) run(g *group) {
	batch := make([]*write, 0, groupSize)
	for first := range g.queue {
		batch = g.gather(append(batch[:0], first))
		d.commit(batch)
		clear(batch)
	}
}

// gather adds the writes that wait to the batch. It lets those run first who are
// about to hand in theirs, for as long as any come: when nobody does, that costs
// nothing, and under load the larger groups save more than the wait takes.
func (g *group) gather(batch []*write) []*write {
	for came := true; came; {
		runtime.Gosched()
		came = false
		for waiting := true; waiting && len(batch) < groupSize; {
			select {
			case w, open := <-g.queue:
				if waiting = open; open {
					batch = append(batch, w)
					came = true
				}
			default:
				waiting = false
			}
		}
	}
	return batch
}

// commit writes the batch in one transaction. If one of its writes fails, each
// is written again in a transaction of its own, so that it fails alone.
func (d *DB) commit(batch []*write) {
	err := d.transact(batch)
	var failed writeError
	if errors.As(err, &failed) && len(batch) > 1 {
		for i := range batch {
			d.commit(batch[i : i+1])
		}
		return
	}
	if failed.error != nil {
		err = failed.error
	}
	for _, w := range batch {
		w.done <- err
	}
}

// writeError is the error of one write of a group, not of its transaction.
type writeError struct{ error }

func (d *DB) transact(batch []*write) error {
	// The transaction outlives any one request that takes part in it. On SQLite it
	// has nothing to wait for, and a context that can end costs time in each
	// statement.
	ctx := context.Background()
	if d.engine == Postgres {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, transactTimeout)
		defer cancel()
	}
	defer d.stmts.prepare(ctx, d.write.DB)
	sqlTx, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning transaction: %w", err)
	}
	defer sqlTx.Rollback() // does nothing after a commit
	var topics []string
	tx := Tx{Tx: sqlTx, db: d, topics: &topics}
	for _, w := range batch {
		err := w.ctx.Err() // when set, nobody waits for it any more
		if err == nil {
			err = w.apply(ctx, tx)
		} else if len(batch) > 1 {
			continue
		}
		if err != nil {
			return writeError{err}
		}
	}
	if err := sqlTx.Commit(); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	d.wakes.committed(topics)
	return nil
}

func (w *write) apply(ctx context.Context, tx Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while writing: %v", p)
		}
	}()
	return w.f(ctx, tx)
}
