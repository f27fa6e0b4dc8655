package migrations

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var (
	// ErrNewer means that a newer release has changed the schema so that this program cannot use it.
	ErrNewer = errors.New("the schema is of a newer release of Frontdesk, and this program cannot use it")
	// ErrOlder means that a node runs whose release is older than the one before this program's.
	ErrOlder = errors.New("a node runs that is more than one release older: bring it to the release between, first")
	// ErrUnfinished means that other nodes have not finished changes of the schema with which this one can begin.
	ErrUnfinished = errors.New("other nodes are still changing the schema: this node waits for them")
)

// alive is for how long a node that has said nothing counts as running.
var alive = time.Minute

// gone is how long nothing has been seen of older nodes before the schema is changed so that they cannot come back.
var gone = 24 * time.Hour

// Beat is how often a node says that it is there.
var Beat = 10 * time.Second

// forgotten is when the row of a node goes.
const forgotten = 7 * 24 * time.Hour

// leastStep is the step that a program has to know at least.
const leastStep = `SELECT COALESCE(MAX(step), 0) FROM needed_steps`

// Tx is a transaction of the writers, in which the nodes agree on the schema.
type Tx interface {
	Exec(ctx context.Context, query string, args ...any) (changed int64, err error)
	// Number asks for one number.
	Number(ctx context.Context, query string, args ...any) (int64, error)
}

// Announce says that the node is there, and returns [ErrNewer] if it has to leave. The tables have to be there.
func (s Schema) Announce(ctx context.Context) error {
	var needed int64
	err := s.Write(ctx, func(ctx context.Context, tx Tx) (err error) {
		if needed, err = tx.Number(ctx, leastStep); err != nil || needed > Newest() {
			return err // one that has to leave is not there
		}
		if _, err := tx.Exec(ctx, `INSERT INTO nodes (id, knows, seen_at) VALUES ($1, $2, `+s.Clock+`)
			ON CONFLICT (id) DO UPDATE SET knows = EXCLUDED.knows, seen_at = EXCLUDED.seen_at`, s.Node, Newest()); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM nodes WHERE seen_at < `+s.Clock+` - $1`, forgotten.Milliseconds())
		return err
	})
	if err != nil {
		return fmt.Errorf("announcing this node: %w", err)
	}
	return fits(needed)
}

// Fits returns [ErrNewer] if this program cannot use the schema, which has tables.
func (s Schema) Fits(ctx context.Context) error {
	var needed int64
	if err := s.Read.QueryRowContext(ctx, leastStep).Scan(&needed); err != nil {
		return err
	}
	return fits(needed)
}

func fits(needed int64) error {
	if needed > Newest() {
		return fmt.Errorf("%w: it needs step %d, and this program knows %d", ErrNewer, needed, Newest())
	}
	return nil
}

// leaveBehind has programs refuse to start that do not know the step, unless one has been seen in the time: then it returns
// false.
func (s Schema) leaveBehind(ctx context.Context, step int64, within time.Duration) (left bool, err error) {
	err = s.Write(ctx, func(ctx context.Context, tx Tx) error {
		seen, err := tx.Number(ctx, `SELECT COUNT(*) FROM nodes WHERE knows < $1 AND seen_at > `+s.Clock+` - $2`, step, within.Milliseconds())
		if left = seen == 0; err != nil || !left {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO needed_steps (step) VALUES ($1) ON CONFLICT (step) DO NOTHING`, step)
		return err
	})
	return left, err
}
