package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

const (
	// groupSize bounds how many writes one commit takes together.
	groupSize = 512
	// gatherTime bounds how long a group waits for more writes. While many wait for a processor, it waits long for
	// each.
	gatherTime = 10 * time.Millisecond
	// transactTimeout ends a transaction that hangs on a lost connection.
	transactTimeout = 10 * time.Second
	// troubledTimeout takes its place while the database is in trouble, so that whoever comes then is told soon.
	troubledTimeout = 2 * time.Second
	// conflictTries is how often a group is written that another node's gets in the way of. PostgreSQL takes a second
	// to notice a deadlock.
	conflictTries = 3
	// conflictPause is what the other group is given before each further try, to take the locks that it waits for.
	conflictPause = 20 * time.Millisecond
)

// Write runs f in a transaction, which it shares with other writes of the same moment, and returns nil once the
// transaction is durable. When f returns an error or panics, nothing that f did stays, and the others are unaffected.
//
// f may run more than once, so it must have no effect but through tx, and must set anew what it hands to its caller.
// Writes of the same key run one after another on this node; a key of 0 means that it does not matter. Rows that two
// nodes may change at once belong to one key each, or to one f: groups lock them in the order of the keys, those without
// in the order of the programs, and those of [DB.WriteOwn] before all others.
//
// An f that may well return an error goes to [DB.Attempt].
//
// When ctx ends before the commit, Write returns its error, and the write may have happened or not; f is not running
// any more. While the database's file is lost nothing is written, and the error is [ErrLost].
func (d *DB) Write(ctx context.Context, key int64, f func(context.Context, Tx) error) error {
	return d.hand(&write{ctx: ctx, key: key, f: f, done: make(chan error, 1)})
}

// Attempt is [DB.Write] for an f that may well return an error, because of what it finds in the database. It costs two
// short statements more, and an error of f costs the others nothing: one of Write's f has the whole group written
// again.
func (d *DB) Attempt(ctx context.Context, key int64, f func(context.Context, Tx) error) error {
	return d.hand(&write{ctx: ctx, key: key, f: f, attempt: true, done: make(chan error, 1)})
}

// WriteOwn is [DB.Write] for an f that reads and changes no rows which an f of another key, in the same moment on this
// node, changes or may wait for: on PostgreSQL the statements of several go to the database in one round trip. See
// [Tx.Alone] for exceptions.
func (d *DB) WriteOwn(ctx context.Context, key int64, f func(context.Context, Tx) error) error {
	return d.hand(&write{ctx: ctx, key: key, f: f, own: true, done: make(chan error, 1)})
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
	own     bool  // see WriteOwn
	attempt bool  // it has a savepoint of its own
	refused error // of f, in the last transaction
	done    chan error

	running sync.Mutex // held while f runs
	left    bool       // nobody waits for it any more; guarded by running
}

// leave is how the one who waits goes away early. When it returns, f is not running and never will: what f has written
// to is the caller's alone.
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
		for left := batch; len(left) > 0; {
			left = d.commit(left, g.lane)
		}
		clear(batch)
	}
}

// gather adds the writes that wait to the batch. It lets those run first who are about to hand in theirs, for as long
// as any come, up to gatherTime: when nobody does, that costs nothing, and under load the larger groups save more than
// the wait takes.
func (g *group) gather(batch []*write) []*write {
	for came, began := true, time.Now(); came && time.Since(began) < gatherTime; {
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

// commit writes the batch in one transaction, and tells each write what became of it but for those left for the next
// transaction. A second one takes the place of one in which a write failed that had no savepoint; in that one all have.
func (d *DB) commit(batch []*write, lane int64) (left []*write) {
	if d.engine == Postgres {
		slices.SortStableFunc(batch, compare)
	}
	left, err := d.transact(batch, lane)
	for tries, guarded := 1, false; err != nil; {
		switch {
		case errors.Is(err, wire.ErrUnguarded) && !guarded:
			guarded = true
			for _, w := range batch {
				w.attempt = true
			}
		case faultOf(err) == wire.Conflict && tries < conflictTries:
			tries++
			time.Sleep(conflictPause)
		default:
			d.troubled(err)
			for _, w := range batch {
				w.done <- err
			}
			return nil
		}
		left, err = d.transact(batch, lane)
	}
	for _, w := range batch[:len(batch)-len(left)] {
		w.done <- w.refused
	}
	return left
}

// compare has all nodes lock in one order, so that they do not wait for each other. Those of [DB.WriteOwn] come first, as
// they do when they run beside each other.
func compare(a, b *write) int {
	if a.own != b.own {
		if a.own {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.program(), b.program()))
}

// program is where the code of f is, which orders the writes that have no key: nodes of one release have one order. Of
// one key those of a kind stay as they came.
func (w *write) program() uintptr {
	if w.key != 0 {
		return 0
	}
	return reflect.ValueOf(w.f).Pointer()
}

// unwanted tells whether nobody waits for the write any more.
func (w *write) unwanted() bool {
	w.refused = w.ctx.Err()
	return w.refused != nil
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
