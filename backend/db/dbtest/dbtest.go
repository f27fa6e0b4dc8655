// Package dbtest gives tests fresh databases of both engines: SQLite in a
// temporary file, and PostgreSQL from a server that the tests start themselves.
//
// A test package that uses it runs its tests through [Main].
package dbtest

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
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
	if server.stop != nil {
		server.stop()
	}
	os.Exit(code)
}

// Each runs the test on an empty, migrated database of each engine.
func Each(t *testing.T, test func(t *testing.T, d *db.DB)) {
	t.Helper()
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": SQLite, "postgres": Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, Open(t, settings(t)))
		})
	}
}

// Open opens and migrates a database that is closed with the test.
func Open(t testing.TB, settings db.Settings) *db.DB {
	t.Helper()
	d, err := db.Open(context.Background(), settings, zap.NewNop())
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	require.NoError(t, d.Migrate(context.Background()))
	return d
}

// SQLite names a new SQLite database.
func SQLite(t testing.TB) db.Settings {
	return db.Settings{Engine: db.SQLite, Source: filepath.Join(t.TempDir(), "frontdesk.db")}
}

var databases atomic.Int64

// Postgres names a new, empty PostgreSQL database, which is dropped with the
// test.
func Postgres(t testing.TB) db.Settings {
	t.Helper()
	server.once.Do(func() { server.address, server.stop, server.err = startPostgres() })
	require.NoError(t, server.err, "starting PostgreSQL")
	name := fmt.Sprintf("test_%d", databases.Add(1))
	administer(t, "CREATE DATABASE "+name)
	t.Cleanup(func() { administer(t, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") })
	return db.Settings{Engine: db.Postgres, Source: source(name)}
}

var server struct {
	once    sync.Once
	address string
	stop    func()
	err     error
}

func source(database string) string {
	return (&url.URL{Scheme: "postgres", User: url.User("postgres"), Host: server.address, Path: database, RawQuery: "sslmode=disable"}).String()
}

func administer(t testing.TB, statement string) {
	t.Helper()
	conn, err := sql.Open("pgx", source("postgres"))
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Exec(statement)
	require.NoError(t, err)
}
