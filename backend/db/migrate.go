package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/seed-3405227d/frontdesk/backend/db/migrations"
)

// ErrUnreleased means that the tables were made by a program older than the first release, in steps that this one does
// not know.
var ErrUnreleased = errors.New("the database was made before the first release, and is not brought up to date: begin with an empty one")

// Migrate brings the schema up to date. Several nodes, or processes, may call it at once
// on one database: one takes each step, the others wait for it. The error may be [ErrUnreleased].
func (d *DB) Migrate(ctx context.Context) error {
	if pending, err := d.Pending(ctx); err != nil {
		return fmt.Errorf("migrating database: %w", err)
	} else if pending == 0 {
		return nil
	}
	by := d.write
	if d.postgres != nil {
		var err error
		if by, err = d.postgres.Patient(); err != nil {
			return fmt.Errorf("migrating database: %w", err)
		}
		defer by.Close()
	}
	provider, err := d.migrator(by)
	if err != nil {
		return fmt.Errorf("reading migrations: %w", err)
	}
	for tries := 1; ; tries++ {
		before, _ := d.Pending(ctx)
		if _, err = provider.Up(ctx); err == nil {
			return nil
		}
		// On SQLite a command may take the same steps at the same time as the server.
		if after, _ := d.Pending(ctx); after < before {
			tries = 0
		}
		if d.engine != SQLite || tries == migrateTries || ctx.Err() != nil {
			return fmt.Errorf("migrating database: %w", err)
		}
		time.Sleep(migratePause)
	}
}

const (
	// migrateTries is how often a step of migration is tried on SQLite while nobody gets on.
	migrateTries = 5
	migratePause = 50 * time.Millisecond
	// migrateLook is how often it is looked on PostgreSQL whether another process has taken the steps, in seconds, and
	// migrateLooks how often at most: five minutes.
	migrateLook, migrateLooks = 1, 300
)

// Pending is how many steps the schema lacks. It writes nothing. The error may be [ErrUnreleased].
func (d *DB) Pending(ctx context.Context) (int, error) {
	version, err := d.version(ctx)
	if err != nil {
		return 0, err
	}
	steps, err := migrations.Steps(d.engine)
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

// version is the number of the last step that the schema has; 0 when there are no tables yet.
func (d *DB) version(ctx context.Context) (version int64, err error) {
	query := "SELECT COALESCE(MAX(version_id), 0) FROM " + goose.DefaultTablename
	if d.read.QueryRowContext(ctx, query).Scan(&version) != nil {
		return 0, d.read.PingContext(ctx) // the table comes with the first step
	}
	if version > 0 && version < migrations.First {
		return 0, ErrUnreleased
	}
	return version, nil
}

func (d *DB) migrator(by *sql.DB) (*goose.Provider, error) {
	steps, err := migrations.Steps(d.engine)
	if err != nil {
		return nil, err
	}
	dialect := goose.DialectSQLite3
	options := []goose.ProviderOption{goose.WithGoMigrations(steps...), goose.WithDisableGlobalRegistry(true)}
	if d.engine == Postgres {
		dialect = goose.DialectPostgres
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(migrateLook, migrateLooks))
		if err != nil {
			return nil, err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	return goose.NewProvider(dialect, by, nil, options...)
}
