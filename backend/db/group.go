package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
)

const (
	// groupSize bounds how many writes one commit takes together.
	groupSize = 512
	// transactTimeout ends a transaction that hangs on a lost connection.
	transactTimeout = 10 * time.Second
	// conflictTries is how often a group is written that another node's gets in
	// the way of. PostgreSQL takes a second to notice a deadlock.
	conflictTries = 3
	// conflictPause is what the other group is given before each further try, to
	// take the locks that it waits for.
	conflictPause = 20 * time.Millisecond
)

// Tx is the transaction of a write. It is asked by [List] and [One] and changed by
// [Tx.Exec].
type Tx struct {
	sql   *sql.Tx
	db    *DB
	notes *notes
	lane  int64
	fresh map[string]*sql.Stmt // not kept yet: they end with the transaction
}

// Engine is SQLite or Postgres.
func (tx Tx) Engine() string { return tx.db.engine }

// Wake wakes those who wait for news of the topic, on all nodes, once the
// transaction is committed. See [DB.Subscribe].
func (tx Tx) Wake(topic string) { tx.notes.topics = append(tx.notes.topics, topic) }

// Write runs f in a transaction, which it shares with other writes of the same
// moment, and returns nil once the transaction is durable. When f returns an
// error or panics, nothing that f did stays, and the others are unaffected.
//
// f may run more than once, so it must have no effect but through tx, and must
// set anew what it hands to its caller. Writes of the same key run one after
// another on this node; a key of 0 means that it does not matter. Rows that two
// nodes may change at once belong to one key each: groups lock them in the order
// of the keys.
//
// An f that may well return an error goes to [DB.Attempt].
//
// When ctx ends before the commit, Write returns its error, and the write may
// have happened or not; f is not running any more. While the database's file is lost nothing is written, and
// the error is [ErrLost].
func (d *DB) Write(ctx context.Context, key int64, f func(context.Context, Tx) error) error {
	return d.hand(&write{ctx: ctx, key: key, f: f, done: make(chan error, 1)})
}

// Attempt is [DB.Write] for an f that may well return an error, because of what
// it finds in the database. It costs two short statements more, and an error of
// f costs the others nothing: one of Write's f has the whole group written again.
func (d *DB) Attempt(ctx context.Context, key int64, f func(context.Context, Tx) error) error {
	return d.hand(&write{ctx: ctx, key: key, f: f, attempt: true, done: make(chan error, 1)})
}

func (d *DB) hand(w *write) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if err := d.groups[uint64(w.key)%uint64(len(d.groups))].hand(w); err != nil {
		return err
	}
	select {
	case err := <-w.done:
		return err
	case <-w.ctx.Done():
		return w.leave()
	}
}

type write struct {
	ctx     context.Context
	key     int64
	f       func(context.Context, Tx) error
	attempt bool  // it has a savepoint of its own
	refused error // of f, in the last transaction
	done    chan error

	running sync.Mutex // held while f runs
	left    bool       // nobody waits for it any more; guarded by running
}

// leave is how the one who waits goes away early. When it returns, f is not
// running and never will: what f has written to is the caller's alone.
func (w *write) leave() error {
	w.running.Lock()
	defer w.running.Unlock()
	w.left = true
	return w.ctx.Err()
}

// group gathers the writes that come while the previous commit is under way.
type group struct {
	mu     sync.RWMutex // held for reading while handing over, for writing to close
	queue  chan *write
	closed bool
	lane   int64 // see [Tx.Lane]
}

// newGroups returns n groups, whose lanes are those of the node, of which there are as many.
func newGroups(n, nodes int) []*group {
	groups := make([]*group, n)
	node := rand.IntN(nodes)
	for i := range groups {
		groups[i] = &group{queue: make(chan *write, groupSize), lane: int64(node*n + i)}
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
		d.commit(batch, g.lane)
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

// commit writes the batch in one transaction and tells each write what became of
// it. A second transaction takes the place of one in which a write failed that
// had no savepoint; in that one all have.
func (d *DB) commit(batch []*write, lane int64) {
	if d.engine == Postgres {
		// Two nodes that lock in one order do not wait for each other.
		slices.SortStableFunc(batch, func(a, b *write) int { return cmp.Compare(a.key, b.key) })
	}
	err := d.transact(batch, lane)
	for tries := 1; err != nil; {
		switch {
		case errors.Is(err, errUnguarded):
			for _, w := range batch {
				w.attempt = true
			}
		case conflict(err) && tries < conflictTries:
			tries++
			time.Sleep(conflictPause)
		default:
			d.troubled(err)
			for _, w := range batch {
				w.done <- err
			}
			return
		}
		err = d.transact(batch, lane)
	}
	for _, w := range batch {
		w.done <- w.refused
	}
}

// errUnguarded means that a write failed without a savepoint to go back to.
var errUnguarded = errors.New("a write failed without a savepoint")

// transact writes the batch in one transaction. Its error is of all of them; what
// one write was refused for stands with that write.
func (d *DB) transact(batch []*write, lane int64) error {
	if err := d.files.check(); err != nil {
		return err
	}
	// The transaction outlives any one request that takes part in it. On SQLite it
	// has nothing to wait for, and a context that can end costs time in each
	// statement.
	ctx := context.Background()
	if d.engine == Postgres {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, transactTimeout)
		defer cancel()
	}
	defer d.stmts.prepare(ctx, d.write)
	sqlTx, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning transaction: %w", err)
	}
	defer sqlTx.Rollback() // does nothing after a commit
	var left notes
	tx := Tx{sql: sqlTx, db: d, notes: &left, lane: lane, fresh: make(map[string]*sql.Stmt)}
	for _, w := range batch {
		if w.refused = w.ctx.Err(); w.refused != nil { // nobody wants it any more
			continue
		}
		if err := tx.include(ctx, w); err != nil {
			return err
		}
	}
	if err := tx.storeCounts(ctx); err != nil {
		return fmt.Errorf("storing counts: %w", err)
	}
	if err := sqlTx.Commit(); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	// What was written into a file that is gone from its place is not durable.
	if err := d.files.check(); err != nil {
		return err
	}
	d.wakes.committed(left.topics)
	return nil
}

// include makes the write part of the transaction, or takes back what it did and
// notes what it was refused for. Its error ends the transaction.
func (tx Tx) include(ctx context.Context, w *write) error {
	if w.attempt {
		if err := tx.savepoint(ctx, "SAVEPOINT one"); err != nil {
			return err
		}
	}
	news, counts := len(tx.notes.topics), len(tx.notes.counts)
	err := w.apply(ctx, tx)
	if err == nil && w.attempt {
		err = tx.savepoint(ctx, "RELEASE SAVEPOINT one") // fails on PostgreSQL when f has hidden an error
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil || outage(err) || conflict(err):
		return err // the next write would fare no better
	case !w.attempt:
		return errUnguarded
	}
	w.refused = err
	tx.notes.topics, tx.notes.counts = tx.notes.topics[:news], tx.notes.counts[:counts]
	return tx.savepoint(ctx, "ROLLBACK TO SAVEPOINT one; RELEASE SAVEPOINT one")
}

func (tx Tx) savepoint(ctx context.Context, statement string) error {
	if _, err := tx.sql.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("keeping writes apart: %w", err)
	}
	return nil
}

func (w *write) apply(ctx context.Context, tx Tx) (err error) {
	w.running.Lock()
	defer w.running.Unlock()
	if w.left {
		return w.ctx.Err()
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while writing: %v", p)
		}
	}()
	return w.f(ctx, tx)
}
