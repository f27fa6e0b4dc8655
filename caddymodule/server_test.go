package caddymodule

import (
	"os"
	"path/filepath"
	"strings"
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

var command = servertest.Command

// run runs the Caddyfile, see [servertest.Run].
func run(t testing.TB, caddyfile string) *server {
	t.Helper()
	t.TempDir()                // the first is the last to be removed
	t.Cleanup(WaitUntilClosed) // services write there until then
	return servertest.Run(t, caddyfile)
}

// configuration is a file with the Caddyfile, in which $DIR is its folder. No
// server runs with it.
func configuration(t testing.TB, caddyfile string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	file := filepath.Join(dir, "Caddyfile")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(caddyfile, "$DIR", dir)), 0o600))
	return file
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
