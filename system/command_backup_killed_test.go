package system

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/verify"
)

// Backups are made under load, and are killed at any moment; so is the server in the end. A copy that has its name is whole, and
// has what was acknowledged before it was begun.
func TestBackupsThatAreKilled(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "frontdesk.db")
	n := runNode(t, option+`
		http://localhost:$PORT {
			frontdesk shop
			header Content-Type text/html
			respond "<!doctype html><html><head><title>Lamps</title></head><body>Lamps</body></html>"
		}`, "$DIR", dir)
	visitor := n.arrive()
	acknowledged := 0
	backUp := func(to string) (*exec.Cmd, chan error) {
		cmd := exec.Command(os.Args[0], "frontdesk", "backup", to, "--database-sqlite", file)
		cmd.Env = append(os.Environ(), asCaddy+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		require.NoError(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		return cmd, ended
	}
	// copied sends leads until the copy is made, or the time is over and it is killed.
	copied := func(to string, patience time.Duration) (named bool) {
		before := acknowledged
		cmd, ended := backUp(to)
		for over := time.After(patience); ; {
			select {
			case err := <-ended:
				_, missing := os.Stat(to)
				if named = missing == nil; !named {
					require.Error(t, err)
					return false
				}
				found, err := verify.File(t.Context(), to)
				require.NoError(t, err)
				require.True(t, found.Own)
				require.GreaterOrEqual(t, found.Leads, int64(before))
				require.LessOrEqual(t, found.Leads, int64(visitor.sent), "what has no answer may be stored")
				return true
			case <-over:
				if err := cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
					require.NoError(t, err)
				}
			default:
				if visitor.lead(20_000) {
					acknowledged++
				}
			}
		}
	}
	for range 30 { // what is copied takes some time
		require.True(t, visitor.lead(50_000))
		acknowledged++
	}
	began := time.Now()
	require.True(t, copied(filepath.Join(dir, "whole.db"), time.Hour))
	whole := time.Since(began)
	halves := 0
	for i := 0; i < 8 || halves == 0 && i < 40; i++ { // the first copy may have been a slow one
		if !copied(filepath.Join(dir, fmt.Sprint(i, ".db")), whole*time.Duration(8-i%8)/9>>(i/8)) {
			halves++
		}
	}
	require.Positive(t, halves, "none was killed in the middle")

	// The server is killed while the copy is made.
	before := acknowledged
	last := filepath.Join(dir, "last.db")
	_, ended := backUp(last)
	n.kill()
	require.NoError(t, <-ended)
	found, err := verify.File(t.Context(), last)
	require.NoError(t, err)
	require.GreaterOrEqual(t, found.Leads, int64(before))
	require.LessOrEqual(t, found.Leads, int64(visitor.sent))
	n.launch()
	require.GreaterOrEqual(t, storedLeads(t, file), acknowledged)
}
