package system

import (
	"testing"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/caddymodule"
	_ "github.com/seed-3405227d/frontdesk/caddymodule/command"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

type answer = servertest.Answer

const (
	option    = servertest.Option
	insertion = servertest.Insertion
	hash      = servertest.Hash
	wait      = servertest.Wait
	tick      = servertest.Tick
)

var command = servertest.Command

// server is a Caddy, and what visitors, sites and platforms do there.
type server struct{ *servertest.Server }

// run runs the Caddyfile, see [servertest.Run].
func run(t testing.TB, caddyfile string) *server {
	t.Helper()
	t.TempDir()                            // the first is the last to be removed
	t.Cleanup(caddymodule.WaitUntilClosed) // services write there until then
	return &server{servertest.Run(t, caddyfile)}
}

// Ready waits until the service is.
func (s *server) Ready() *server {
	s.Server.Ready()
	return s
}

// eachDatabase runs the test on each engine, with the database as a Caddyfile names it.
func eachDatabase(t *testing.T, test func(t *testing.T, engine, database string)) {
	server := dbtest.OwnServer(t)
	for engine, database := range map[string]string{db.SQLite: "sqlite $DIR/frontdesk.db", db.Postgres: `postgres "` + server.Source() + `"`} {
		t.Run(engine, func(t *testing.T) { test(t, engine, database) })
	}
}
