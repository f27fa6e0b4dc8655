// Package db opens the service's database, SQLite or PostgreSQL, keeps its
// schema, and gives the subjects one way to read and one way to write.
//
// All writing goes through [DB.Write]: what many requests want to write at the
// same moment is committed together, and each request hears of success only
// after the commit is on disk. Reading goes through [DB.Read] and never waits
// for a writer.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

// The two engines.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// ErrClosed is returned by calls on a database that has been closed.
var ErrClosed = errors.New("the database is closed")

// Settings name a database. They are comparable, so that two configurations
// that mean the same database can be recognised.
type Settings struct {
	// Engine is SQLite or Postgres.
	Engine string `json:"engine,omitempty"`
	// Source is the file of a SQLite database, or the connection string of a
	// PostgreSQL one (URL or key=value form).
	Source string `json:"source,omitempty"`
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	engine string
	read   *sql.DB
	write  *sql.DB
	logger *zap.Logger
	// patient opens connections whose statements may take as long as they need; nil where
	// those that write have no bound anyway.
	patient func() (*sql.DB, error)

	now func() time.Time

	writer  *sqliteSession
	keeper  *sql.Conn // holds the log of a SQLite database
	files   *files
	trouble atomic.Pointer[Trouble]

	groups   []*group
	session  func(ctx context.Context, f func(session) error) error // for one f at a time
	wakes    wakes
	stop     context.CancelFunc
	finished sync.WaitGroup
}

// Open connects to the database and starts its writers. It creates the file of
// a SQLite database when there is none, but no tables: see [DB.Migrate]. Of a SQLite
// database, it looks for two seconds at most whether its file is well: the error may be
// [ErrMalformed] or [ErrStrayLog].
func Open(ctx context.Context, settings Settings, logger *zap.Logger) (*DB, error) {
	var d *DB
	var err error
	switch settings.Engine {
	case SQLite:
		d, err = openSQLite(ctx, settings.Source)
	case Postgres:
		d, err = openPostgres(settings.Source)
	default:
		return nil, fmt.Errorf("unknown database engine %q: expected %q or %q", settings.Engine, SQLite, Postgres)
	}
	if err != nil {
		return nil, fmt.Errorf("opening database: %w", err)
	}
	d.engine = settings.Engine
	d.logger = logger
	d.now = time.Now
	err = d.write.PingContext(ctx)
	if err == nil && d.engine == SQLite {
		err = d.useFiles(ctx, settings.Source)
	}
	if err != nil {
		d.closePools()
		return nil, fmt.Errorf("opening database: %w", explain(err))
	}
	run, stop := context.WithCancel(context.Background())
	d.stop = stop
	d.start(run)
	return d, nil
}

// Check tells what is wrong with the settings, as far as that can be told
// without touching the database: it neither connects nor writes.
func (s Settings) Check() error {
	switch s.Engine {
	case SQLite:
		return checkSQLite(s.Source)
	case Postgres:
		return checkPostgres(s.Source)
	}
	return fmt.Errorf("unknown database engine %q: expected %q or %q", s.Engine, SQLite, Postgres)
}

// CheckWrite tells whether the database can be written, by a change that it
// takes back.
func (d *DB) CheckWrite(ctx context.Context) error {
	tx, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning transaction: %w", err)
	}
	defer tx.Rollback()
	_, err = tx.ExecContext(ctx, "CREATE TABLE frontdesk_check (id BIGINT)")
	return err
}

// Engine is SQLite or Postgres.
func (d *DB) Engine() string { return d.engine }

// Clock is an expression of SQL for the time in milliseconds as the database has
// it: the clocks of nodes may differ.
func Clock(engine string) string {
	if engine == Postgres {
		return `CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`
	}
	return `CAST(unixepoch('subsec') * 1000 AS INTEGER)`
}

// Read is for queries. On SQLite its connections refuse to write. On PostgreSQL a query
// of [List] or [One] has a minute.
func (d *DB) Read() Reader { return Reader{d.read, d} }

// Close ends the writers, after what has been handed to them is committed, and
// closes the connections. Closing again does nothing.
func (d *DB) Close() error {
	for _, g := range d.groups {
		g.close()
	}
	d.stop()
	d.finished.Wait()
	return d.closePools()
}

func (d *DB) closePools() error {
	if d.writer != nil {
		d.writer.close()
	}
	if d.keeper != nil {
		d.keeper.Close()
	}
	err := d.read.Close()
	if d.read != d.write {
		err = errors.Join(d.write.Close(), err)
	}
	return err
}

// start runs the writers, and on PostgreSQL what connects the nodes.
func (d *DB) start(ctx context.Context) {
	for _, g := range d.groups {
		d.keep(context.Background(), "writing", func(context.Context) { d.run(g) }) // until its queue is closed
	}
	d.keep(ctx, "watching the database", d.watch)
	if d.engine == Postgres {
		d.wakes.announcing = true
		d.wakes.unannounced = make(map[string]struct{})
		d.keep(ctx, "listening to other nodes", d.listen)
		d.keep(ctx, "telling other nodes", d.announce)
	}
}

// keep runs f beside all else until it ends.
func (d *DB) keep(ctx context.Context, what string, f func(context.Context)) {
	d.finished.Go(func() { aside.Keep(ctx, d.logger, what, f) })
}

// Logger is where it is told what goes wrong.
func (d *DB) Logger() *zap.Logger { return d.logger }
