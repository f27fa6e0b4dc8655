package system

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

// asCaddy makes the program of these tests be Caddy.
const asCaddy = "FRONTDESK_TEST_AS_CADDY"

func TestMain(m *testing.M) {
	if os.Getenv(asCaddy) != "" {
		caddycmd.Main()
		return
	}
	os.Exit(m.Run())
}

// TestExitUnderAnOpenStream ends a Caddy whose console somebody has open.
func TestExitUnderAnOpenStream(t *testing.T) {
	s := servertest.New(t, "$DIR", t.TempDir())
	file := filepath.Join(t.TempDir(), "caddy.json")
	require.NoError(t, os.WriteFile(file, s.Adapt(option+`
		http://localhost:$PORT {
			frontdesk_console
		}`), 0o600))
	cmd := exec.Command(os.Args[0], "run", "--config", file)
	cmd.Env = append(os.Environ(), asCaddy+"=1", "XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill() })

	require.Eventually(t, func() bool {
		answer, err := s.Do(http.MethodGet, "http://"+s.Admin+"/frontdesk/health", "")
		return err == nil && answer.StatusCode == http.StatusOK
	}, wait, tick)
	var link string
	require.Eventually(t, func() bool {
		_, rest, found := strings.Cut(s.Log(), "/setup?token=")
		link, _, _ = strings.Cut(rest, `"`)
		return found
	}, wait, tick)
	stream := s.Stream(s.SignedIn(link), "visitors")

	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_, err := stream.ReadString(0) // up to its end
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, <-exited)
}
