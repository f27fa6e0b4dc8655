package system

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// A running server is backed up, crashes, and is restored while it does not run.
func TestBackupAndRestoreCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, copied := filepath.Join(dir, "frontdesk.db"), filepath.Join(dir, "backup", "monday.db")
	require.NoError(t, os.Mkdir(filepath.Dir(copied), 0o700))
	n := runNode(t, option+`
		http://localhost:$PORT {
			frontdesk shop
			header Content-Type text/html
			respond "<!doctype html><html><head><title>Lamps</title></head><body>Lamps</body></html>"
		}`, "$DIR", dir)
	do := func(args ...string) (string, error) {
		t.Helper()
		return command(t, "", append(args, "--database-sqlite", file)...)
	}
	visitor := n.arrive()
	for range 3 {
		require.True(t, visitor.lead(10))
	}
	output, err := do("backup", copied)
	require.NoError(t, err, output)
	require.Contains(t, output, "checked the copy")
	_, err = do("backup", copied)
	require.ErrorContains(t, err, "is there already")
	output, err = command(t, "", "verify", copied)
	require.NoError(t, err, output)
	require.Contains(t, output, "whole")
	require.Contains(t, output, "1 sites, 3 leads")
	torn := filepath.Join(dir, "torn.db")
	whole, err := os.ReadFile(copied)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(torn, whole[:len(whole)/2], 0o600))
	_, err = command(t, "", "verify", torn)
	require.ErrorContains(t, err, "malformed")
	_, err = command(t, "", "verify", filepath.Join(dir, "nothing.db"))
	require.ErrorContains(t, err, "no such file")
	require.True(t, visitor.lead(10))

	_, err = do("restore", copied)
	require.ErrorIs(t, err, db.ErrInUse)
	require.True(t, visitor.lead(10), "nothing has changed")
	n.kill()
	content, err := os.ReadFile(copied)
	require.NoError(t, err)
	crashed, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, content, 0o600)) // beside the log of the crash
	output, err = do("doctor")
	require.Error(t, err)
	require.Regexp(t, `WRONG +database .*put the copy back by: caddy frontdesk restore`, output)
	require.NoError(t, os.WriteFile(file, crashed, 0o600))

	output, err = do("restore", copied)
	require.NoError(t, err, output)
	require.Regexp(t, `is kept as .*/frontdesk\.db\.before-[0-9-]+; `, output)
	n.launch()
	require.Equal(t, 3, storedLeads(t, file))
	require.True(t, n.arrive().lead(10))
	kept, err := filepath.Glob(file + ".before-*[0-9]")
	require.NoError(t, err)
	require.Len(t, kept, 1)
	require.Equal(t, 5, storedLeads(t, kept[0]))
	output, err = do("doctor")
	require.NoError(t, err, output)
	require.Contains(t, output, "every page of the file is in order")

	for _, args := range [][]string{{"backup", copied}, {"restore", copied}} {
		_, err := command(t, "", append(args, "--database-postgres", "postgres://user:secret@nowhere.example/db")...)
		require.ErrorContains(t, err, "the database is PostgreSQL")
		require.NotContains(t, err.Error(), "secret")
	}
}
