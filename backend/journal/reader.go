package journal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
)

const (
	// leaseTime is how long the lease of a node that has died keeps other nodes from reading.
	leaseTime = 12 * time.Second
	// leaseBeat is how often the lease is renewed, and how often the other nodes try to take it.
	leaseBeat = 3 * time.Second
	// handledAtOnce bounds how many entries are handled together.
	handledAtOnce = 100
	// lastPause bounds the pauses between attempts. Each pause is twice the one before.
	lastPause = time.Minute
)

// Handler handles entries in their order. Its writes to tx are committed together with the reader's position, so they
// happen exactly once. Everything else that it does may happen again. It runs in a transaction with other writes, under
// the rules of [db.DB.Write]: it must be quick, and must wait for nothing but the database.
type Handler func(ctx context.Context, tx db.Tx, entries []Entry) error

// Reader reads the journal under a name. The database keeps its position. Of all nodes that run a reader with that
// name, one reads at a time.
type Reader struct {
	journal *Journal
	name    string
	handle  Handler
	owner   string
	failed  func(error)
}

// Reader returns the reader with the name. A new name begins with the oldest entry. failed gets each error, before the
// reader tries again.
func (j *Journal) Reader(name string, handle Handler, failed func(error)) *Reader {
	return &Reader{journal: j, name: name, handle: handle, owner: rand.Text(), failed: failed}
}

// errTaken means that another node reads now.
var errTaken = errors.New("another node reads the journal")

// Run reads until ctx is done, and then lets another node continue at once. If a node stops without releasing its
// lease, another continues within 15 seconds.
func (r *Reader) Run(ctx context.Context) {
	happened, forget := r.journal.db.Subscribe(Topic)
	defer forget()
	defer r.release(context.WithoutCancel(ctx))
	beat := time.NewTicker(leaseBeat)
	defer beat.Stop()
	settled := time.NewTicker(settling)
	defer settled.Stop()
	pause := settling
	mine, claim := false, true
	for ctx.Err() == nil {
		var err error
		if claim {
			mine, err = r.claim(ctx)
		}
		if mine && err == nil {
			err = r.read(ctx)
		}
		claim = false
		if errors.Is(err, errTaken) {
			mine = false
		} else if err != nil && ctx.Err() == nil {
			r.failed(err)
			claim = true
			aside.Sleep(ctx, pause) // at first shorter than leaseBeat
			pause = min(2*pause, lastPause)
			continue
		}
		pause = settling
		news := happened
		waited := settled.C
		if !mine {
			news, waited = nil, nil
		}
		select {
		case <-ctx.Done():
		case <-news:
		case <-waited: // on PostgreSQL, an entry may become readable after its wake
		case <-beat.C:
			claim = true
		}
	}
}

// claim takes or renews the lease, unless another node has it.
func (r *Reader) claim(ctx context.Context) (mine bool, err error) {
	err = r.journal.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		now := db.Clock(tx.Engine())
		claimed, err := tx.Exec(ctx, `INSERT INTO journal_readers (name, tx, seq, owner, expires_at, seen_at) VALUES ($1, 0, 0, $2, `+now+` + $3, `+now+`)
			ON CONFLICT (name) DO UPDATE SET owner = EXCLUDED.owner, expires_at = EXCLUDED.expires_at, seen_at = EXCLUDED.seen_at
			WHERE journal_readers.owner = EXCLUDED.owner OR journal_readers.expires_at < EXCLUDED.seen_at`, r.name, r.owner, leaseTime.Milliseconds())
		mine = claimed > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("taking the lease of a reader of the journal: %w", err)
	}
	return mine, nil
}

// release ends the lease.
func (r *Reader) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaseBeat)
	defer cancel()
	// If this fails, the lease ends by itself.
	_ = r.journal.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE journal_readers SET expires_at = 0 WHERE name = $1 AND owner = $2`, r.name, r.owner)
		return err
	})
}

// read hands the new entries to the handler.
func (r *Reader) read(ctx context.Context) error {
	for began := time.Now(); time.Since(began) < leaseBeat; { // then the lease has to be renewed
		p, err := r.position(ctx)
		if err != nil {
			return err
		}
		entries, err := r.journal.After(ctx, p, handledAtOnce)
		if err != nil || len(entries) == 0 {
			return err
		}
		if err := r.advance(ctx, p, entries); err != nil {
			return err
		}
		if len(entries) < handledAtOnce {
			return nil
		}
	}
	return nil
}

func (r *Reader) position(ctx context.Context) (Position, error) {
	type row struct {
		Position
		owner string
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	stored, found, err := db.One(ctx, r.journal.db.Read(), func(s *row) []any { return []any{&s.Tx, &s.Seq, &s.owner} },
		`SELECT tx, seq, owner FROM journal_readers WHERE name = $1`, r.name)
	if err == nil && !found {
		err = errors.New("it has none")
	}
	if err != nil {
		return Position{}, fmt.Errorf("reading the position of a reader of the journal: %w", err)
	}
	if stored.owner != r.owner {
		return Position{}, errTaken
	}
	return stored.Position, nil
}

// advance has the entries handled and moves the position behind them, in one transaction. No other node can do so at
// the same time.
func (r *Reader) advance(ctx context.Context, from Position, entries []Entry) error {
	to := entries[len(entries)-1].Position
	return r.journal.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		moved, err := tx.Exec(ctx, `UPDATE journal_readers SET tx = $1, seq = $2 WHERE name = $3 AND owner = $4 AND tx = $5 AND seq = $6`,
			to.Tx, to.Seq, r.name, r.owner, from.Tx, from.Seq)
		if err != nil {
			return fmt.Errorf("moving a reader of the journal on: %w", err)
		}
		if moved == 0 {
			return errTaken
		}
		return r.handle(ctx, tx, entries)
	})
}
