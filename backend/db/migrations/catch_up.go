package migrations

import (
	"context"
	"fmt"
)

// catchUpLock is held by who takes the steps of several releases at once.
const catchUpLock = 0x73636865_00000001

// catchUp takes what is missing of earlier releases, of which no node may run. One node does it at a time.
func (s Schema) catchUp(ctx context.Context, steps []step, last int64) error {
	by, done, err := s.Patient()
	if err != nil {
		return err
	}
	defer func() { _ = done() }()
	mine := true
	if s.Engine == "postgres" {
		lock, err := by.Conn(ctx)
		if err != nil {
			return err
		}
		defer lock.Close() // the lock goes with the connection
		if err := lock.QueryRowContext(ctx, fmt.Sprintf(`SELECT pg_try_advisory_lock(%d)`, catchUpLock)).Scan(&mine); err != nil {
			return err
		}
	}
	var older int
	if err := s.Read.QueryRowContext(ctx, `SELECT COUNT(*) FROM nodes WHERE knows < $1 AND seen_at > `+s.Clock+` - $2`, Newest(), alive.Milliseconds()).Scan(&older); err != nil {
		return err
	}
	if older > 0 || !mine {
		return ErrUnfinished
	}
	for _, one := range steps {
		if one.version > last {
			break
		}
		if err := s.complete(ctx, one, alive, false); err != nil {
			return err
		}
	}
	return nil
}
