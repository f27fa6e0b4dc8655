// Package dbtest gives tests fresh databases of both engines: SQLite in a
// temporary file, and PostgreSQL from a server that the tests start themselves.
//
// A test package that uses it runs its tests through [Main].
package dbtest

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the "pgx" driver
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Main runs the tests of a package and ends the PostgreSQL server, if one was
// started for them.
func Main(m *testing.M) {
	code := m.Run()
	if server.checked != nil && server.address != "" && code == 0 {
		if err := server.checked(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if server.pooler != nil {
		server.pooler.Remove()
	}
	if server.admin != nil {
		server.admin.Close()
	}
	if server.stop != nil {
		server.stop()
	}
	os.Exit(code)
}

// No test is about how fast a disk flushes. Programs that are test binaries do not wait for it either.
func init() { db.Unflushed = testing.Testing() }

// Each runs the test on an empty, migrated database of each engine.
func Each(t *testing.T, test func(t *testing.T, d *db.DB)) {
	t.Helper()
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": SQLite, "postgres": migratedPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, Open(t, settings(t)))
		})
	}
}

// Open opens and migrates a database that is closed with the test.
func Open(t testing.TB, settings db.Settings) *db.DB {
	t.Helper()
	if settings.Engine == db.SQLite {
		fillSQLite(t, settings.Source)
	}
	d, err := db.Open(context.Background(), settings, zap.NewNop())
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	require.NoError(t, d.Migrate(context.Background()))
	addFixtures(t, d)
	return d
}

// Plan is how a SQLite database finds what the query asks for, in steps such as "SEARCH leads USING INDEX …".
func Plan(t testing.TB, d *db.DB, query string, args ...any) []string {
	t.Helper()
	type step struct {
		id, parent, unused int64
		detail             string
	}
	steps, err := db.List(t.Context(), d.Read(), func(s *step) []any { return []any{&s.id, &s.parent, &s.unused, &s.detail} }, `EXPLAIN QUERY PLAN `+query, args...)
	require.NoError(t, err)
	details := make([]string, len(steps))
	for i, s := range steps {
		details[i] = s.detail
	}
	return details
}

// SQLite names a new SQLite database. It is flushed to the disk for benchmarks only.
func SQLite(t testing.TB) db.Settings {
	if _, measures := t.(*testing.B); measures {
		db.Unflushed = false
	}
	return db.Settings{Engine: db.SQLite, Source: filepath.Join(t.TempDir(), "frontdesk.db")}
}

var databases atomic.Int64

// Postgres names a new, empty PostgreSQL database, which is dropped with the
// test.
func Postgres(t testing.TB) db.Settings {
	t.Helper()
	return postgres(t, "template1")
}

// postgres names a new database that is a copy of another.
func postgres(t testing.TB, original string) db.Settings {
	t.Helper()
	start(t)
	name := fmt.Sprintf("test_%d", databases.Add(1))
	// Copying files takes half of the time of copying pages by the log. It begins and ends with a checkpoint, and nothing
	// is flushed here.
	leaveAlone(t, original)
	administer(t, "CREATE DATABASE "+name+" TEMPLATE "+original+" STRATEGY FILE_COPY")
	t.Cleanup(func() {
		if server.pooler != nil {
			require.NoError(t, server.pooler.settle(context.Background()))
		}
		administer(t, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	})
	if server.pooler != nil {
		return db.Settings{Engine: db.Postgres, Source: server.pooler.Source(name), Direct: source(name)}
	}
	return db.Settings{Engine: db.Postgres, Source: source(name)}
}

// The steps of migration take longer than most tests. So they are taken once for all tests of a package, and each test
// gets a copy.
var migrated struct {
	sqlite, postgres sync.Once
	file             []byte
}

// fillSQLite makes the file a migrated database, unless there is one already.
func fillSQLite(t testing.TB, file string) {
	t.Helper()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		return
	}
	migrated.sqlite.Do(func() {
		settings := db.Settings{Engine: db.SQLite, Source: filepath.Join(t.TempDir(), "migrated.db")}
		migrate(t, settings)
		content, err := os.ReadFile(settings.Source)
		require.NoError(t, err)
		migrated.file = content
	})
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, migrated.file, 0o600))
}

// migratedPostgres names a new PostgreSQL database, which is migrated, and dropped with the test.
func migratedPostgres(t testing.TB) db.Settings {
	t.Helper()
	migrated.postgres.Do(func() {
		start(t)
		administer(t, "CREATE DATABASE migrated")
		migrate(t, db.Settings{Engine: db.Postgres, Source: source("migrated")})
		if distributed {
			distribute(t, "migrated")
		}
	})
	return postgres(t, "migrated")
}

func migrate(t testing.TB, settings db.Settings) {
	t.Helper()
	d, err := db.Open(t.Context(), settings, zap.NewNop())
	require.NoError(t, err)
	require.NoError(t, d.Migrate(t.Context()))
	addFixtures(t, d)
	require.NoError(t, d.Close())
}

// addFixtures makes partitions for rows that tests store by small numbers, which no clock gives.
func addFixtures(t testing.TB, d *db.DB) {
	t.Helper()
	if d.Engine() != db.Postgres {
		return
	}
	statements, err := db.List(context.Background(), d.Read(), db.Only[string], `SELECT 'CREATE TABLE ' || relname || '_fixtures PARTITION OF ' || relname || ' FOR VALUES FROM (MINVALUE) TO (1099511627776)'
		FROM pg_class WHERE relkind = 'p' AND relnamespace = current_schema()::regnamespace AND to_regclass(relname || '_fixtures') IS NULL`)
	require.NoError(t, err)
	if len(statements) == 0 {
		return
	}
	direct, err := db.Direct(d)
	require.NoError(t, err)
	defer direct.Close()
	for _, statement := range statements {
		_, err = direct.ExecContext(context.Background(), statement)
		require.NoError(t, err)
	}
}

var server struct {
	once    sync.Once
	address string
	admin   *sql.DB // makes and drops databases
	pooler  *Pooler // nil without one
	stop    func()
	err     error

	counted bool         // the statements are
	checked func() error // looks at them when the tests have ended
}

// pooled is set in the environment of tests that reach PostgreSQL through PgBouncer in transaction mode.
const pooled = "FRONTDESK_POOLED"

// start starts the server that all tests of a package share.
func start(t testing.TB) {
	t.Helper()
	server.once.Do(func() {
		if server.address, server.stop, server.err = startPostgres(); server.err != nil {
			return
		}
		if server.admin, server.err = sql.Open("pgx", source("postgres")); server.err == nil && os.Getenv(pooled) != "" {
			server.pooler, server.err = StartPooler(server.address)
		}
	})
	require.NoError(t, server.err, "starting PostgreSQL")
}

func source(database string) string { return sourceOf(server.address, database) }

func administer(t testing.TB, statement string) {
	t.Helper()
	_, err := server.admin.Exec(statement)
	require.NoError(t, err)
}
