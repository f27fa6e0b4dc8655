package caddymodule

import (
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

type (
	server = servertest.Server
	answer = servertest.Answer
)

const (
	option    = servertest.Option
	page      = servertest.Page
	insertion = servertest.Insertion
	hash      = servertest.Hash
	wait      = servertest.Wait
	tick      = servertest.Tick
)

// run runs the Caddyfile, see [servertest.Run].
func run(t testing.TB, caddyfile string) *server {
	t.Helper()
	t.TempDir()                // the first is the last to be removed
	t.Cleanup(WaitUntilClosed) // services write there until then
	return servertest.Run(t, caddyfile)
}

func activeService(t testing.TB) *sharedService {
	t.Helper()
	return activeApp(t).service
}

func activeApp(t testing.TB) *App {
	t.Helper()
	app, err := caddy.ActiveContext().AppIfConfigured("frontdesk")
	require.NoError(t, err)
	return app.(*App)
}
