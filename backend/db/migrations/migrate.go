package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// ErrUnreleased means that the tables were made by a program older than the first release, in steps that this one does
// not know.
var ErrUnreleased = errors.New("the database was made before the first release, and is not brought up to date: begin with an empty one")

// sqlite and postgres are the names of the engines.
const sqlite, postgres = "sqlite", "postgres"

// Schema is that of an open database.
type Schema struct {
	Engine string // "sqlite" or "postgres"
	Node   string // names this use of the database
	Clock  string // an expression for the time in milliseconds
	Read   *sql.DB
	// Patient opens the pool that takes steps, whose statements may take as long as they need, and returns what ends its use.
	Patient func() (pool *sql.DB, done func() error, err error)
	// Write commits what f does, or nothing. At most one node is in f at a time. f may run more than once.
	Write func(ctx context.Context, f func(context.Context, Tx) error) error
}

const (
	// migrateTries is how often a step is tried while nobody gets on: on SQLite a command may take the same step, and on
	// PostgreSQL a step gives way to what reads its table for long.
	migrateTries = 30
	migratePause = 50 * time.Millisecond
	// migrateLook is how often it is looked on PostgreSQL whether another process has taken the steps, in seconds, and
	// migrateLooks how often at most: five minutes.
	migrateLook, migrateLooks = 1, 300
	// lockWait is how long a step waits for a table. Whoever wants to use the table then waits behind it.
	lockWait = "2s"
)

// Migrate brings the schema to where this program can begin, and announces the node. Several nodes, or processes, may call
// it at once on one database: one takes each step, the others wait for it. What older nodes do not go on with is left to
// [Schema.Finish], unless nobody has used the database. The error may be [ErrUnreleased], [ErrNewer], [ErrOlder] or
// [ErrUnfinished].
func (s Schema) Migrate(ctx context.Context) error {
	version, err := s.Version(ctx)
	if err != nil {
		return err
	}
	if version > 0 {
		if err := s.Announce(ctx); err != nil {
			return err
		}
	}
	if pending, err := s.Pending(ctx); err != nil || pending == 0 {
		return err
	}
	steps, err := stepsOf(s.Engine)
	if err != nil {
		return err
	}
	if version == 0 { // nobody uses it, and nothing is in it
		if err := s.take(ctx, Newest()); err != nil {
			return err
		}
		return s.Announce(ctx)
	}
	if left, err := s.leaveBehind(ctx, before(), alive); err != nil {
		return err
	} else if !left {
		return ErrOlder
	}
	if last := before(); version < last {
		if err := s.catchUp(ctx, steps, last); err != nil {
			return err
		}
	}
	return s.take(ctx, lastOf(steps, before()))
}

// lastOf is the last of the steps of the release behind that step with which older nodes go on.
func lastOf(steps []step, behind int64) (last int64) {
	for _, one := range steps {
		if one.version > behind && one.kind >= piecewise {
			break
		}
		last = one.version
	}
	return last
}

// Finish takes the steps that wait for older nodes, as far as it may, and returns how many still wait. One node does it at a
// time, while all serve.
func (s Schema) Finish(ctx context.Context) (waiting int, err error) {
	steps, err := stepsOf(s.Engine)
	if err != nil {
		return 0, err
	}
	for i, one := range steps {
		if err := s.complete(ctx, one, gone, true); errors.Is(err, ErrOlder) {
			return len(steps) - i, nil
		} else if err != nil {
			return len(steps) - i, err
		}
	}
	return 0, nil
}

// complete takes the step, if it has not been taken: a rewriting whole. The error is [ErrOlder] if older nodes were seen in
// the time.
func (s Schema) complete(ctx context.Context, one step, within time.Duration, resting bool) error {
	version, err := s.Version(ctx)
	if err != nil || one.version <= version {
		return err
	}
	if one.kind == piecewise {
		if err := s.rewrite(ctx, one, 0, resting); err != nil {
			return err
		}
	}
	if one.kind >= piecewise {
		if left, err := s.leaveBehind(ctx, Newest(), within); err != nil {
			return err
		} else if !left {
			return ErrOlder
		}
	}
	if one.kind == piecewise {
		if err := s.rewrite(ctx, one, 1, resting); err != nil { // what older nodes have written meanwhile
			return err
		}
	}
	return s.take(ctx, one.version)
}

// take takes all steps up to that one.
func (s Schema) take(ctx context.Context, upTo int64) error {
	by, done, err := s.Patient()
	if err != nil {
		return err
	}
	defer func() { _ = done() }() // each step has been committed, or has not
	provider, err := s.provider(by)
	if err != nil {
		return fmt.Errorf("reading the steps: %w", err)
	}
	for tries := 1; ; tries++ {
		before, _ := s.Version(ctx)
		if _, err = provider.UpTo(ctx, upTo); err == nil {
			return nil
		}
		if after, _ := s.Version(ctx); after > before {
			tries = 0
		}
		locked := isLocked(err)
		if s.Engine != sqlite && !locked || tries == migrateTries || ctx.Err() != nil {
			return err
		}
		if err := sleep(ctx, migratePause); err != nil {
			return err
		}
	}
}

// isLocked says whether a step has waited in vain for a table.
func isLocked(err error) bool {
	of, is := errors.AsType[*pgconn.PgError](err)
	return is && of.Code == "55P03" // lock_not_available
}

// Pending is how many steps the schema lacks for this program to begin. It writes nothing. The error may be [ErrUnreleased].
func (s Schema) Pending(ctx context.Context) (int, error) { return s.lacks(ctx, false) }

// Later is how many steps the schema lacks that wait until older nodes are gone.
func (s Schema) Later(ctx context.Context) (int, error) { return s.lacks(ctx, true) }

// Usable is how many steps this program would take before it begins with a database that has been there before. The error may
// be [ErrUnreleased], [ErrNewer], or that it is none of Frontdesk.
func (s Schema) Usable(ctx context.Context) (pending int, err error) {
	version, err := s.Version(ctx)
	if err != nil {
		return 0, err
	}
	if version == 0 {
		return 0, errors.New("it is no database of Frontdesk: it has no tables")
	}
	if err := s.Fits(ctx); err != nil {
		return 0, err
	}
	return s.Pending(ctx)
}

func (s Schema) lacks(ctx context.Context, later bool) (n int, err error) {
	version, err := s.Version(ctx)
	if err != nil {
		return 0, err
	}
	steps, err := stepsOf(s.Engine)
	if err != nil {
		return 0, err
	}
	last := lastOf(steps, before())
	for _, one := range steps {
		if one.version > version && one.version > last == later {
			n++
		}
	}
	return n, nil
}

// Version is the number of the last step that the schema has; 0 when there are no tables yet. The error may be
// [ErrUnreleased].
func (s Schema) Version(ctx context.Context) (version int64, err error) {
	query := "SELECT COALESCE(MAX(version_id), 0) FROM " + goose.DefaultTablename
	if s.Read.QueryRowContext(ctx, query).Scan(&version) != nil {
		return 0, s.Read.PingContext(ctx) // the table comes with the first step
	}
	if version > 0 && version < First {
		return 0, ErrUnreleased
	}
	return version, nil
}

func (s Schema) provider(by *sql.DB) (*goose.Provider, error) {
	steps, err := stepsOf(s.Engine)
	if err != nil {
		return nil, err
	}
	known := make([]*goose.Migration, len(steps))
	for i, one := range steps {
		known[i] = goose.NewGoMigration(one.version, s.way(one), nil)
	}
	dialect := goose.DialectSQLite3
	options := []goose.ProviderOption{goose.WithGoMigrations(known...), goose.WithDisableGlobalRegistry(true)}
	if s.Engine == postgres {
		dialect = goose.DialectPostgres
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(migrateLook, migrateLooks))
		if err != nil {
			return nil, err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	return goose.NewProvider(dialect, by, nil, options...)
}

// way is how the step is taken. Pieces have been rewritten before.
func (s Schema) way(one step) *goose.GoFunc {
	switch {
	case one.kind == piecewise:
		return &goose.GoFunc{RunTx: func(context.Context, *sql.Tx) error { return nil }}
	case one.kind == outside && s.Engine == postgres:
		return &goose.GoFunc{RunDB: func(ctx context.Context, by *sql.DB) error {
			conn, err := by.Conn(ctx)
			if err != nil {
				return err
			}
			defer conn.Close()
			// Nobody waits behind such a statement.
			for _, statement := range append([]string{`SET lock_timeout = 0`}, one.statements()...) {
				if _, err := conn.ExecContext(ctx, statement); err != nil {
					return err
				}
			}
			return nil
		}}
	}
	return &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		if s.Engine == postgres && one.version != First {
			if _, err := tx.ExecContext(ctx, `SET LOCAL lock_timeout = '`+lockWait+`'`); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, one.text)
		return err
	}}
}
