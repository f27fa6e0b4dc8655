package system

import (
	"database/sql"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// onPostgres is a shop whose forms are kept, and its console, on one of several nodes.
const onPostgres = `
	{
		frontdesk {
			database postgres "$SOURCE"
			name shop
			operator anna "` + hash + `"
		}
	}
	http://localhost:$PORT2 {
		frontdesk_console
	}
	http://localhost:$PORT {
		frontdesk shop {
			capture /send
		}
		header Content-Type text/html
		respond "<!doctype html><html><head><title>Lamps</title></head><body>Lamps</body></html>"
	}`

// hears waits until the node's live page of leads, on $PORT2, shows the words.
func (n *node) hears(words string) {
	n.T.Helper()
	console := n.console()
	client, signedIn := console.as("anna")
	require.True(n.T, signedIn)
	stream := console.Stream(client, "leads")
	heard := make(chan error, 1)
	go func() {
		for {
			line, err := stream.ReadString('\n')
			if err != nil || strings.Contains(line, words) {
				heard <- err
				return
			}
		}
	}()
	select {
	case err := <-heard:
		require.NoError(n.T, err)
	case <-time.After(wait):
		require.Fail(n.T, "nothing is heard of "+words)
	}
}

// A node that is stopped in the middle of a transaction does not keep the others from
// hearing news, and loses nothing that it has acknowledged.
func TestStoppedNode(t *testing.T) {
	t.Parallel()
	source := dbtest.OwnServer(t).Source()
	stopped := runNode(t, onPostgres, "$SOURCE", source)
	well := runNode(t, onPostgres, "$SOURCE", source)
	visitor, other := stopped.arrive(), well.arrive()
	other.sent = 100 // they are one visitor, and their leads are told apart by this
	require.True(t, visitor.lead(10))

	// The node's transaction waits for what another notes of the same lead, and its next step comes once the node has stopped.
	administrator, err := sql.Open("pgx", source)
	require.NoError(t, err)
	defer administrator.Close()
	holding, err := administrator.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer holding.Rollback()
	_, err = holding.Exec(`INSERT INTO lead_requests (site_id, request, lead_id, at) SELECT site_id, left(request, -1) || '2', lead_id, at FROM lead_requests`)
	require.NoError(t, err)
	acknowledged := make(chan bool, 1)
	go func() { acknowledged <- visitor.lead(10) }()
	is := func(state string) func() bool {
		return func() bool {
			var n int
			require.NoError(t, administrator.QueryRow(`SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'frontdesk' AND `+state).Scan(&n))
			return n > 0
		}
	}
	require.Eventually(t, is(`wait_event_type = 'Lock' AND query LIKE 'INSERT INTO lead_requests%'`), wait, tick)
	require.NoError(t, stopped.cmd.Process.Signal(syscall.SIGSTOP))
	require.NoError(t, holding.Rollback())
	// Its transaction holds what it has, until the server ends that.
	require.Eventually(t, func() bool { return !is(`wait_event_type = 'Lock'`)() }, wait, tick)

	require.True(t, other.lead(20))
	well.hears(strings.Repeat("m", 20))

	require.NoError(t, stopped.cmd.Process.Signal(syscall.SIGCONT))
	if !<-acknowledged {
		visitor.sent-- // the same again
		require.Eventually(t, func() bool {
			sent := visitor.lead(10)
			visitor.sent--
			return sent
		}, wait, tick)
	}
	var leads int
	require.NoError(t, administrator.QueryRow(`SELECT COUNT(*) FROM leads`).Scan(&leads))
	require.Equal(t, 3, leads)
}

// While the database's server is stopped, pages go out, leads are refused, health says so, and
// forms wait on the disk; when it goes on, so does everything.
func TestStoppedServer(t *testing.T) {
	t.Parallel()
	server := dbtest.OwnServer(t)
	n := runNode(t, onPostgres, "$SOURCE", server.Source())
	visitor := n.arrive()
	require.True(t, visitor.lead(10))
	console := n.console()
	client, signedIn := console.as("anna")
	require.True(t, signedIn)
	stream := console.Stream(client, "leads")
	require.NoError(t, server.Pause())
	defer server.Resume()

	require.Contains(t, n.Get("http://localhost:$PORT/lamps").Content, insertion)
	sent, err := n.Do(http.MethodPost, "http://localhost:$PORT/send", "name=Anna&phone=%2B74950000001", "Content-Type", formType, "User-Agent", browser)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, sent.StatusCode)
	require.False(t, visitor.lead(10))
	status, state := n.Health()
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, state.Error, "asking the database")
	require.True(t, state.Has("database"))
	client.Timeout = wait
	page, err := client.Get(n.Text("http://localhost:$PORT2/leads"))
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	require.Equal(t, http.StatusServiceUnavailable, page.StatusCode, "and not never")
	ends(t, stream, "the page comes back to another node, if there is one")

	require.NoError(t, server.Resume())
	n.Ready()
	require.True(t, visitor.lead(10))
	administrator, err := sql.Open("pgx", server.Source())
	require.NoError(t, err)
	defer administrator.Close()
	require.Eventually(t, func() bool {
		var stored int
		require.NoError(t, administrator.QueryRow(`SELECT COUNT(*) FROM leads WHERE name = 'Anna'`).Scan(&stored))
		return stored == 1
	}, wait, tick)
}
