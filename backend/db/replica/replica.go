package replica

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// Why a replica is not asked.
var (
	errUnseen    = errors.New("it has not answered yet")
	errClosed    = errors.New("the database is closed")
	errPrimary   = errors.New("the primary does not say where it is")
	errStranger  = errors.New("it has another database than the primary")
	errNoReplica = errors.New("it is no replica: it takes writes")
)

// ErrBehind is in the [Trouble] of a replica that answers, and is too far behind.
var ErrBehind = fmt.Errorf("it is more than %v behind the primary", Limit)

// Trouble is why a replica is not asked.
type Trouble struct {
	Name  string // its host and port
	Err   error
	Since time.Time // when that was noticed; zero for a replica that has not been looked at
}

// Replica is a server that follows the primary.
type Replica struct {
	name          string
	pool, looking *sql.DB
	of            *Replicas

	mu      sync.Mutex
	trouble *Trouble // why it may not be asked, or nil
	// Questions end with alive when the replica is lost. It is nil until it is seen.
	alive context.Context
	end   context.CancelFunc
}

func (r *Replica) fit() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.trouble == nil
}

// look asks the replica where it is, and decides whether it may be asked.
func (r *Replica) look(ctx context.Context) {
	p, err := placeOf(ctx, r.looking)
	if err != nil {
		r.lose(err)
		return
	}
	bytes, err := r.of.behind(p)
	if errors.Is(err, ErrBehind) {
		err = fmt.Errorf("%w, by %d bytes", err, bytes)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.alive == nil || r.alive.Err() != nil {
		r.alive, r.end = context.WithCancel(context.Background())
	}
	r.note(err)
}

// lose ends the questions that the replica has not answered. It is not asked until it has been looked at.
func (r *Replica) lose(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end != nil {
		r.end()
	}
	r.note(why)
}

// note keeps why the replica may not be asked; nil if it may. It is called with the lock.
func (r *Replica) note(why error) {
	switch {
	case why == nil:
		r.trouble = nil
	case r.trouble == nil || r.trouble.Since.IsZero():
		r.trouble = &Trouble{Name: r.name, Err: why, Since: time.Now()}
	default:
		r.trouble = &Trouble{Name: r.name, Err: why, Since: r.trouble.Since}
	}
}

// Ask hands the rows of the query to read. Its connections refuse to write. When the replica is lost meanwhile, it returns an
// error soon, and read may have been given some of the rows.
func (r *Replica) Ask(ctx context.Context, query string, args []any, read func(wire.Rows) error) error {
	r.mu.Lock()
	alive := r.alive
	r.mu.Unlock()
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(alive, cancel)()
	rows, err := r.pool.QueryContext(within, query, args...)
	if err == nil {
		defer rows.Close()
		if err = read(rows); err != nil && rows.Err() == nil {
			return err // of who reads
		}
		if err == nil {
			err = rows.Close()
		}
	}
	if err != nil && within.Err() == nil && !r.of.refused(err) {
		r.lose(err)
	}
	return err
}
