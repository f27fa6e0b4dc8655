package dbtest

import (
	"database/sql"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// distributed is set by the environment of tests whose databases are those of a Citus cluster of one server. Citus has to
// be installed beside PostgreSQL; Debian does not have it.
var distributed = os.Getenv("FRONTDESK_CITUS") != ""

// citusSettings are what the server of such tests needs.
func citusSettings() []string {
	if !distributed {
		return nil
	}
	// The server connects to itself, as a user whose home is another's here.
	return []string{"shared_preload_libraries=citus", "citus.shard_count=4", "citus.node_conninfo=sslmode=disable", "citus.local_hostname=127.0.0.1", "max_prepared_transactions=100"}
}

// distribute makes the migrated database, which others are copies of, one of a cluster, by the script for hosters.
func distribute(t testing.TB, database string) {
	t.Helper()
	host, port, err := net.SplitHostPort(server.address)
	require.NoError(t, err)
	conn, err := sql.Open("pgx", source(database))
	require.NoError(t, err)
	for _, statement := range []string{
		"CREATE EXTENSION citus",
		"SELECT citus_set_coordinator_host('" + host + "', " + port + ")",
		"SELECT citus_set_node_property('" + host + "', " + port + ", 'shouldhaveshards', true)",
	} {
		_, err := conn.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	require.NoError(t, conn.Close())
	module, err := root()
	require.NoError(t, err)
	said, err := exec.CommandContext(t.Context(), "psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", filepath.Join(module, "examples/citus/distribute.sql"), source(database)).CombinedOutput()
	require.NoError(t, err, string(said))
	administer(t, "ALTER DATABASE "+database+" ALLOW_CONNECTIONS false")
}

// leaveAlone ends the connections to a database, which can be copied when there is none. Citus itself connects, from time
// to time.
func leaveAlone(t testing.TB, database string) {
	t.Helper()
	if distributed {
		administer(t, "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE datname = '"+database+"'")
	}
}

// root is the folder of the module, in which the tests run.
func root() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if filepath.Dir(folder) == folder {
			return "", errors.New("the tests do not run within the module")
		}
		folder = filepath.Dir(folder)
	}
}
