package command

import (
	"testing"

	"github.com/seed-3405227d/frontdesk/caddymodule"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

const (
	option = servertest.Option
	page   = servertest.Page
	wait   = servertest.Wait
	tick   = servertest.Tick
)

var (
	command       = servertest.Command
	configuration = servertest.Configuration
)

// run runs the Caddyfile, see [servertest.Run].
func run(t testing.TB, caddyfile string) *servertest.Server {
	t.Helper()
	t.TempDir()                            // the first is the last to be removed
	t.Cleanup(caddymodule.WaitUntilClosed) // services write there until then
	return servertest.Run(t, caddyfile)
}
