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
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db/clock"
	"github.com/seed-3405227d/frontdesk/backend/db/postgres"
	"github.com/seed-3405227d/frontdesk/backend/db/replica"
	"github.com/seed-3405227d/frontdesk/backend/db/sqlite"
	"github.com/seed-3405227d/frontdesk/backend/db/topic"
	"github.com/seed-3405227d/frontdesk/backend/db/wire"
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
	// Direct is the connection string of the PostgreSQL server itself if Source is that of a pooler, which gives each
	// transaction another connection.
	Direct string `json:"direct,omitempty"`
	// Read is the connection string of replicas of the PostgreSQL server, one or more hosts: see [DB.Lagging].
	Read string `json:"read,omitempty"`
}

// Unflushed leaves it to the system when what SQLite has committed reaches the disk: it outlives the process, but not
// the machine. Only tests set it.
var Unflushed bool

// What is wrong with the file of a SQLite database: it is broken, the log beside it belongs to another file, it was
// removed or replaced while it was open, or somebody has it open who must not.
var (
	ErrMalformed = sqlite.ErrMalformed
	ErrStrayLog  = sqlite.ErrStrayLog
	ErrLost      = sqlite.ErrLost
	ErrInUse     = sqlite.ErrInUse
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	*topic.Topics

	engine   string
	node     string             // names this use of the database
	sqlite   *sqlite.Database   // or
	postgres *postgres.Database // the other is nil
	replicas *replica.Replicas  // nil without any
	read     *sql.DB
	write    *sql.DB
	use      func(ctx context.Context, f func(wire.Conn) error) error // the connection of a writer, for one f at a time
	logger   *zap.Logger

	now   func() time.Time
	clock *clock.Clock // nil with SQLite

	trouble  atomic.Pointer[Trouble]
	groups   []*group
	stop     context.CancelFunc
	finished sync.WaitGroup
}

// Open connects to the database and starts its writers. It creates the file of
// a SQLite database when there is none, but no tables: see [DB.Migrate]. Of a SQLite
// database, it looks for two seconds at most whether its file is well: the error may be
// [ErrMalformed] or [ErrStrayLog].
func Open(ctx context.Context, settings Settings, logger *zap.Logger) (*DB, error) {
	d := &DB{Topics: topic.New(settings.Engine == Postgres), engine: settings.Engine, node: rand.Text(), logger: logger, now: time.Now}
	var err error
	switch settings.Engine {
	case SQLite:
		if d.sqlite, err = sqlite.Open(ctx, settings.Source, !Unflushed); err == nil {
			d.read, d.write, d.use, d.groups = d.sqlite.Read, d.sqlite.Write, d.sqlite.Use, newGroups(1, 1)
		}
	case Postgres:
		if d.postgres, err = postgres.Open(ctx, settings.Source, settings.Direct, transactTimeout); err == nil {
			d.read, d.write, d.use, d.groups = d.postgres.Read, d.postgres.Write, d.postgres.Use, newGroups(postgres.Groups, 16)
		}
		if err == nil && settings.Read != "" {
			d.replicas, err = d.postgres.Replicas(settings.Read)
		}
	default:
		return nil, fmt.Errorf("unknown database engine %q: expected %q or %q", settings.Engine, SQLite, Postgres)
	}
	if err != nil {
		return nil, fmt.Errorf("opening database: %w", explain(err))
	}
	if d.engine == Postgres {
		d.clock = clock.New(ctx, clockOf(d.read, d.engine), logger)
		d.now = d.clock.Now
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
		if s.Direct != "" {
			return errors.New("a SQLite database has no server: expected no direct")
		}
		if s.Read != "" {
			return errors.New("a SQLite database has no replicas: expected no read")
		}
		return sqlite.CheckPath(s.Source)
	case Postgres:
		if s.Direct != "" {
			if err := postgres.CheckSource(s.Direct); err != nil {
				return fmt.Errorf("direct: %w", err)
			}
		}
		if s.Read != "" {
			if err := postgres.CheckSource(s.Read); err != nil {
				return fmt.Errorf("read: %w", err)
			}
		}
		return postgres.CheckSource(s.Source)
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

// clockOf asks the database for its time.
func clockOf(read *sql.DB, engine string) func(context.Context) (time.Time, error) {
	return func(ctx context.Context) (time.Time, error) {
		var at int64
		err := read.QueryRowContext(ctx, "SELECT "+Clock(engine)).Scan(&at)
		return time.UnixMilli(at), err
	}
}

// Now is what time it is. Nodes that share a database agree on that, though the clock of one, or the database's, is set.
func (d *DB) Now() time.Time { return d.now() }

// Read is for queries. On SQLite its connections refuse to write. On PostgreSQL a query
// of [List] or [One] has a minute.
func (d *DB) Read() Reader { return Reader{d.read, d} }

// News is Read for who follows what happens. On PostgreSQL it is one connection, for which those who ask much do not wait.
func (d *DB) News() Reader {
	if d.postgres != nil {
		return Reader{d.postgres.News, d}
	}
	return d.Read()
}

// Direct opens a connection to the PostgreSQL server itself, past a pooler, for what is done outside of writes, such as
// changes of the schema: its statements may take as long as they need, but wait five seconds at most for a lock. The
// caller closes it.
func Direct(d *DB) (*sql.DB, error) { return d.postgres.Patient() }

// Close ends the writers, after what has been handed to them is committed, and
// closes the connections. Closing again does nothing.
func (d *DB) Close() error {
	for _, g := range d.groups {
		g.close()
	}
	d.stop()
	d.finished.Wait()
	if d.replicas != nil {
		d.replicas.Close()
	}
	if d.sqlite != nil {
		return d.sqlite.Close()
	}
	return d.postgres.Close()
}

// Examine reads the whole file of a SQLite database, however long that takes, and returns
// [ErrMalformed] if it is broken. Of PostgreSQL it asks nothing.
func (d *DB) Examine(ctx context.Context) error {
	if d.sqlite == nil {
		return nil
	}
	return explain(d.sqlite.Examine(ctx))
}

// Scrub removes what deleted rows have left in the file of a SQLite database and in its log. It reads the whole file, and
// others write meanwhile. Of a file with 33 million pages and more, 137 GB, it empties the log alone. It waits for readers
// of the log, five seconds at most. PostgreSQL frees the room of deleted rows itself, by its vacuum.
func (d *DB) Scrub(ctx context.Context) error {
	if d.sqlite == nil {
		return nil
	}
	return d.sqlite.Scrub(ctx)
}

// start runs the writers, and on PostgreSQL what connects the nodes.
func (d *DB) start(ctx context.Context) {
	for _, g := range d.groups {
		d.keep(context.Background(), "writing", func(context.Context) { d.run(g) }) // until its queue is closed
	}
	d.keep(ctx, "watching the database", d.watch)
	if d.engine == Postgres {
		d.keep(ctx, "comparing clocks", d.clock.Run)
		d.keep(ctx, "listening to other nodes", func(ctx context.Context) { topic.Listen(ctx, d.Topics, d.postgres, d.logger) })
		if d.replicas != nil {
			for _, look := range d.replicas.Looks() {
				d.keep(ctx, "looking at a replica", look)
			}
		}
		d.keep(ctx, "telling other nodes", func(ctx context.Context) { topic.Announce(ctx, d.Topics, d.postgres, d.logger) })
	}
}

// keep runs f beside all else until it ends.
func (d *DB) keep(ctx context.Context, what string, f func(context.Context)) {
	d.finished.Go(func() { aside.Keep(ctx, d.logger, what, f) })
}

// Logger is where it is told what goes wrong.
func (d *DB) Logger() *zap.Logger { return d.logger }
