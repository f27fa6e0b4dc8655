package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db/postgres"
	"github.com/seed-3405227d/frontdesk/backend/db/sqlite"
	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// Trouble is why the database takes no writes.
type Trouble struct {
	Err error
	// Since is when the first write failed that way, or the file was found lost.
	Since time.Time
}

func (t *Trouble) Error() string { return t.Err.Error() }

func (t *Trouble) Unwrap() error { return t.Err }

// lasts tells whether it ends with the DB alone.
func (t *Trouble) lasts() bool { return errors.Is(t.Err, ErrMalformed) || errors.Is(t.Err, ErrNewer) }

// ErrFull is in the [Trouble] of a database whose disk is full.
var ErrFull = errors.New("the disk of the database is full")

// ErrReadOnly is in the [Trouble] of a database that is read-only.
var ErrReadOnly = errors.New("the database is read-only")

// Trouble is what keeps the database from being written, or nil. It ends soon after the database can be written again,
// whether or not anybody writes. That its file is malformed, or its schema too new, ends with the DB: nothing is
// written there.
func (d *DB) Trouble() *Trouble { return d.trouble.Load() }

// Lost tells whether the file of the database is not at its place any more.
func (d *DB) Lost() bool {
	t := d.trouble.Load()
	return t != nil && errors.Is(t.Err, ErrLost)
}

// lost returns [ErrLost] if the file is, or what lies beside it.
func (d *DB) lost() error {
	if d.sqlite == nil {
		return nil
	}
	return d.sqlite.Check()
}

// writable is the error of a write that nothing may be written of.
func (d *DB) writable() error {
	if t := d.Trouble(); t != nil && t.lasts() {
		return t.Err
	}
	return d.lost()
}

// Check asks the database something and returns its [Trouble], if it has any.
func (d *DB) Check(ctx context.Context) error {
	if err := d.lost(); err != nil {
		d.troubled(err)
	} else if err := d.read.PingContext(ctx); err != nil && ctx.Err() == nil {
		d.troubled(fmt.Errorf("asking the database: %w", err))
	} else if err != nil {
		return fmt.Errorf("asking the database: %w", err)
	}
	if t := d.Trouble(); t != nil {
		return t
	}
	return nil
}

// troubled notes that a whole group could not be written, a file is lost, or malformed.
func (d *DB) troubled(err error) {
	if faultOf(err) == wire.Conflict {
		return // the database is well, and busy
	}
	t := &Trouble{Err: explain(err), Since: d.now()}
	before := d.trouble.Load()
	if before != nil && before.lasts() {
		return // nothing that comes later is worse
	}
	if before != nil {
		t.Since = before.Since
	}
	if d.trouble.CompareAndSwap(before, t) && before == nil {
		d.logger.Error("the database takes no writes", zap.Error(t))
	}
}

// watchEvery is how often the file is looked for, and how often a database in trouble is tried.
const watchEvery = 500 * time.Millisecond

// watch notices a lost file when nobody writes, and the end of trouble.
func (d *DB) watch(ctx context.Context) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := d.lost(); err != nil {
			d.troubled(err)
			continue
		}
		trouble := d.trouble.Load()
		if trouble == nil || trouble.lasts() || d.try(ctx) != nil {
			continue
		}
		if d.trouble.CompareAndSwap(trouble, nil) {
			d.logger.Info("the database takes writes again", zap.Duration("after", d.now().Sub(trouble.Since)))
		}
	}
}

// try writes something that nobody reads: a full disk is not noticed before a change is kept.
func (d *DB) try(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, transactTimeout)
	defer cancel()
	return d.Write(ctx, 0, func(ctx context.Context, tx Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO sequences (name, next) VALUES ('db.tries', 1)
			ON CONFLICT (name) DO UPDATE SET next = sequences.next + 1`)
		return err
	})
}

// patience is how long a transaction may take.
func (d *DB) patience() time.Duration {
	if d.Trouble() != nil {
		return troubledTimeout
	}
	return transactTimeout
}

// explain puts the reason before the words of the engine, where it has one that its owner can do something about.
func explain(err error) error {
	switch faultOf(err) {
	case wire.Full:
		return fmt.Errorf("%w: make room on it (%w)", ErrFull, err)
	case wire.Malformed:
		if !errors.Is(err, ErrMalformed) {
			return fmt.Errorf("%w: %w", ErrMalformed, err)
		}
	case wire.ReadOnly:
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return err
}

// faultOf is what the error means for others than its statement.
func faultOf(err error) wire.Fault { return cmp.Or(sqlite.FaultOf(err), postgres.FaultOf(err)) }
