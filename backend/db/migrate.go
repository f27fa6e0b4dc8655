package db

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the schema up to date. Several nodes, or processes, may call it at once
// on one database: one takes each step, the others wait for it.
func (d *DB) Migrate(ctx context.Context) error {
	by := d.write
	if d.patient != nil {
		var err error
		if by, err = d.patient(); err != nil {
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
)

// Pending is how many migrations the schema lacks. It writes nothing.
func (d *DB) Pending(ctx context.Context) (int, error) {
	provider, err := d.migrator(d.write)
	if err != nil {
		return 0, fmt.Errorf("reading migrations: %w", err)
	}
	sources := provider.ListSources()
	var version int64
	query := "SELECT COALESCE(MAX(version_id), 0) FROM " + goose.DefaultTablename
	if err := d.read.QueryRowContext(ctx, query).Scan(&version); err != nil {
		return len(sources), d.read.PingContext(ctx) // the table comes with the first migration
	}
	pending := 0
	for _, source := range sources {
		if source.Version > version {
			pending++
		}
	}
	return pending, nil
}

func (d *DB) migrator(by *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	dialect := goose.DialectSQLite3
	options := []goose.ProviderOption{
		goose.WithGoMigrations(d.journalMigration(), d.sourcesMigration(), d.jobsMigration(), d.inboxMigration()),
		goose.WithDisableGlobalRegistry(true),
	}
	if d.engine == Postgres {
		dialect = goose.DialectPostgres
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	return goose.NewProvider(dialect, by, files, options...)
}

// journalMigration makes the journal's table, the one whose definition differs
// between the engines: its rows are ordered by the transaction that wrote them
// and by their number, and PostgreSQL must know the former, see package journal.
func (d *DB) journalMigration() *goose.Migration {
	table := `
CREATE TABLE journal (
	seq        INTEGER PRIMARY KEY AUTOINCREMENT,
	tx         BIGINT NOT NULL DEFAULT 0,
	site_id    BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	subject_id BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	data       TEXT NOT NULL
)`
	if d.engine == Postgres {
		table = `
CREATE TABLE journal (
	seq        BIGINT GENERATED ALWAYS AS IDENTITY,
	tx         BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
	site_id    BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	subject_id BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	data       TEXT NOT NULL,
	PRIMARY KEY (site_id, seq)
)`
	}
	up := func(ctx context.Context, tx *sql.Tx) error {
		for _, statement := range []string{table,
			"CREATE INDEX journal_order ON journal (tx, seq)",
			"CREATE INDEX journal_visitor ON journal (site_id, visitor_id, seq)",
		} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}
	return goose.NewGoMigration(2, &goose.GoFunc{RunTx: up}, nil)
}
