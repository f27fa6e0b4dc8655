package system

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// looks is how often figures of reports have been looked for on the server. A server tells of it a second later.
func looks(t require.TestingT, s *dbtest.Server) (n int) {
	d, err := sql.Open("pgx", s.Source())
	require.NoError(t, err)
	defer d.Close()
	require.NoError(t, d.QueryRow(`SELECT COALESCE(SUM(seq_scan + COALESCE(idx_scan, 0)), 0) FROM pg_stat_user_tables WHERE relname = 'report_columns'`).Scan(&n))
	return n
}

// Reports and files come from a replica. What somebody has just written, everybody sees at once. When the replica is behind or
// lost, the primary takes its place, and nobody waits.
func TestReplica(t *testing.T) {
	primary := dbtest.OwnServer(t)
	replica, err := primary.Replica()
	require.NoError(t, err)
	t.Cleanup(replica.Remove)
	p := runPair(t, fmt.Sprintf("postgres %q {\n\t\t\t\tread %q\n\t\t\t}", primary.Source(), replica.Source()))
	console := p.first.console()
	vera, signedIn := console.as("vera")
	require.True(t, signedIn)
	console.Client.Jar = vera.Jar
	get := func(path string) string {
		began := time.Now()
		answer := console.Get("http://localhost:$PORT" + path)
		require.Equal(t, http.StatusOK, answer.StatusCode, path)
		require.Less(t, time.Since(began), wait)
		return answer.Content
	}
	// asksFor makes reports until the server has looked for figures more often.
	asksFor := func(s *dbtest.Server) {
		t.Helper()
		before := looks(t, s)
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			get("/reports")
			get("/reports/export")
			assert.Greater(c, looks(c, s), before)
		}, wait, 10*tick)
	}
	health := func(has bool) {
		t.Helper()
		require.Eventually(t, func() bool {
			_, state := p.first.Health()
			return state.Ready && state.Has("replica") == has &&
				p.first.Metric(`frontdesk_unwell{reason="replica"}`) == map[bool]float64{true: 1, false: 0}[has]
		}, wait, tick)
	}
	health(false)
	asksFor(replica)

	// It stands still, and is not known to be behind yet.
	require.NoError(t, replica.Follows(t.Context(), primary))
	require.NoError(t, replica.Administer("SELECT pg_wal_replay_pause()"))
	require.True(t, p.lead())
	require.Equal(t, p.acknowledged, strings.Count(get("/leads"), "data-lead="), "a lead that was acknowledged is there")
	for _, suspended := range []bool{true, false} {
		answer, err := console.Do(http.MethodPost, "http://localhost:$PORT/sites/1/suspended", fmt.Sprint("suspended=", suspended), "Content-Type", formType, "Origin", console.Text("http://localhost:$PORT"))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode, answer.Content)
		require.Equal(t, suspended, strings.Contains(get("/sites/1"), `name="suspended" value="false"`), "what an operator has set is set")
	}
	health(true)
	asksFor(primary)
	require.Equal(t, p.acknowledged, strings.Count(get("/leads/export"), "mmmmmmmmmm"), "files are those of the primary")
	require.NoError(t, replica.Administer("SELECT pg_wal_replay_resume()"))
	health(false)
	asksFor(replica)

	require.NoError(t, replica.Kill())
	get("/reports")
	get("/leads/export")
	asksFor(primary)
	health(true)
	p.goOn()
	require.True(t, p.lead())
	require.NoError(t, replica.Start())
	health(false)
	asksFor(replica)
	p.recovers(primary.Source())
}
