package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

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
	Read   *sql.DB
	// Patient opens the pool that takes steps, whose statements may take as long as they need, and returns what ends its use.
	Patient func() (pool *sql.DB, done func() error, err error)
}

const (
	// migrateTries is how often a step of migration is tried on SQLite while nobody gets on.
	migrateTries = 5
	migratePause = 50 * time.Millisecond
	// migrateLook is how often it is looked on PostgreSQL whether another process has taken the steps, in seconds, and
	// migrateLooks how often at most: five minutes.
	migrateLook, migrateLooks = 1, 300
)

// Migrate brings the schema up to date. Several nodes, or processes, may call it at once on one database: one takes each
// step, the others wait for it. The error may be [ErrUnreleased].
func (s Schema) Migrate(ctx context.Context) error {
	if pending, err := s.Pending(ctx); err != nil || pending == 0 {
		return err
	}
	by, done, err := s.Patient()
	if err != nil {
		return err
	}
	defer done()
	provider, err := s.migrator(by)
	if err != nil {
		return fmt.Errorf("reading the steps: %w", err)
	}
	for tries := 1; ; tries++ {
		before, _ := s.Pending(ctx)
		if _, err = provider.Up(ctx); err == nil {
			return nil
		}
		// On SQLite a command may take the same steps at the same time as the server.
		if after, _ := s.Pending(ctx); after < before {
			tries = 0
		}
		if s.Engine != sqlite || tries == migrateTries || ctx.Err() != nil {
			return err
		}
		time.Sleep(migratePause)
	}
}

// Pending is how many steps the schema lacks. It writes nothing. The error may be [ErrUnreleased].
func (s Schema) Pending(ctx context.Context) (int, error) {
	version, err := s.Version(ctx)
	if err != nil {
		return 0, err
	}
	steps, err := Steps(s.Engine)
	if err != nil {
		return 0, err
	}
	pending := 0
	for _, step := range steps {
		if step.Version > version {
			pending++
		}
	}
	return pending, nil
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

func (s Schema) migrator(by *sql.DB) (*goose.Provider, error) {
	steps, err := Steps(s.Engine)
	if err != nil {
		return nil, err
	}
	dialect := goose.DialectSQLite3
	options := []goose.ProviderOption{goose.WithGoMigrations(steps...), goose.WithDisableGlobalRegistry(true)}
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
