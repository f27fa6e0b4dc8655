package system

import (
	"database/sql"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/db/migrations"
)

// nextRelease builds the program of a release that follows this one, which is made up. It has steps of the schema of each
// kind; see backend/db/migrations/testdata.
func nextRelease(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "next")
	build := exec.Command("go", "build", "-tags", "frontdesk_next", "-o", program, "../cmd/caddy")
	output, err := build.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return program
}

// become ends the node and runs another release in its place; an empty program is this one.
func (n *node) become(program string) {
	n.T.Helper()
	n.kill()
	n.program = program
	n.launch()
}

// isRefused runs another release in the place of the node, which does not begin.
func (n *node) isRefused(program, why string) {
	n.T.Helper()
	n.kill()
	n.program = program
	n.begin()
	require.Eventually(n.T, func() bool {
		answer, err := n.Do(http.MethodGet, "http://"+n.Admin+"/frontdesk/health", "")
		return err == nil && answer.StatusCode == http.StatusServiceUnavailable && strings.Contains(answer.Content, why)
	}, wait, tick)
}

// upgrade is a database while two releases use it.
type upgrade struct {
	*pair
	sql    *sql.DB
	source string
}

// runUpgrade runs two nodes of this release on a server of their own.
func runUpgrade(t *testing.T) *upgrade {
	t.Helper()
	source := dbtest.OwnServer(t).Source()
	u := &upgrade{pair: runPair(t, fmt.Sprintf("postgres %q", source)), source: source}
	var err error
	u.sql, err = sql.Open("pgx", source)
	require.NoError(t, err)
	t.Cleanup(func() { u.sql.Close() })
	u.works()
	return u
}

func (u *upgrade) ask(query string) (n int) {
	u.t.Helper()
	require.NoError(u.t, u.sql.QueryRow(query).Scan(&n))
	return n
}

// works has both nodes serve pages and store what comes.
func (u *upgrade) works() {
	u.t.Helper()
	u.goOn()
	for range 10 {
		require.True(u.t, u.lead())
	}
	u.hear()
}

const (
	stepsTaken = `SELECT MAX(version_id) FROM goose_db_version`
	unfilled   = `SELECT COUNT(*) FROM leads WHERE message_size < 0`
)

// Nodes of two releases share a database, in either order, and either may be started again. What older nodes do not go on
// with waits until they are gone.
func TestUpgradeNodeByNode(t *testing.T) {
	next := nextRelease(t)
	u := runUpgrade(t)

	later := []string{"FRONTDESK_LATER=1"} // the release after the next one
	u.other.environ = later
	u.other.isRefused(next, "more than one release older")
	require.Equal(t, migrations.First, u.ask(stepsTaken))
	u.other.environ = nil

	// Pages of the node that stays never fail, whatever the other does.
	looking, looked := make(chan struct{}), new(sync.WaitGroup)
	looked.Go(func() {
		for {
			select {
			case <-looking:
				return
			default:
			}
			answer, err := u.first.Do(http.MethodGet, "http://localhost:$PORT/lamps", "")
			if !assert.NoError(t, err) || !assert.Equal(t, http.StatusOK, answer.StatusCode) {
				return
			}
			time.Sleep(tick)
		}
	})
	u.other.become(next) // the newer one comes to the older one
	require.Equal(t, 20270102, u.ask(stepsTaken))
	require.Equal(t, 1, u.ask(`SELECT COUNT(*) FROM pg_index WHERE indexrelid = 'leads_by_size'::regclass AND indisvalid`))
	u.works()
	require.Eventually(t, func() bool { return u.ask(`SELECT COALESCE(MAX(pass), 0) FROM rewrites`) == 1 }, 2*wait, tick, "all rows are rewritten once")
	u.works() // the older one writes further rows
	require.Positive(t, u.ask(unfilled))
	require.Equal(t, 20270102, u.ask(stepsTaken), "an older node runs")

	u.other.become("") // back to the older one
	u.works()
	require.Equal(t, 20270102, u.ask(stepsTaken))
	u.other.become(next)
	u.works()
	close(looking)
	looked.Wait()

	u.first.become(next) // the last one follows
	u.works()
	require.Eventually(t, func() bool { return u.ask(stepsTaken) == 20270104 }, 3*wait, tick, "nothing has been seen of an older node for long")
	u.works()
	require.Zero(t, u.ask(unfilled))

	u.other.isRefused("", "newer release") // now there is no way back
	require.True(t, u.lead())
	u.other.environ = later
	u.other.become(next)
	require.Equal(t, 20270201, u.ask(stepsTaken))
	u.works()
	u.recovers(u.source)
}

// With all nodes stopped, a release is skipped, also when several nodes begin at once.
func TestUpgradeOverARelease(t *testing.T) {
	t.Parallel()
	next := nextRelease(t)
	u := runUpgrade(t)
	nodes := []*node{u.first, u.other}
	for _, n := range nodes {
		n.kill()
		n.program, n.environ = next, []string{"FRONTDESK_LATER=1"}
	}
	for _, n := range nodes {
		n.begin()
	}
	for _, n := range nodes {
		n.awaitReady()
	}
	require.Equal(t, 20270201, u.ask(stepsTaken))
	require.Zero(t, u.ask(unfilled))
	u.works()
}

// On SQLite the next release takes the place of this one.
func TestUpgradeOnSQLite(t *testing.T) {
	next := nextRelease(t)
	n := runNode(t, strings.NewReplacer(`postgres "$SOURCE"`, "sqlite $DIR/frontdesk.db", "name shop", "").Replace(onPostgres), "$DIR", t.TempDir())
	visitor := n.arrive()
	require.True(t, visitor.lead(10))
	n.become(next)
	require.True(t, visitor.lead(20))
	d, err := sql.Open("sqlite", n.Text("$DIR/frontdesk.db"))
	require.NoError(t, err)
	defer d.Close()
	require.Eventually(t, func() bool {
		var taken, left int
		return d.QueryRow(stepsTaken).Scan(&taken) == nil && taken == 20270104 && d.QueryRow(unfilled).Scan(&left) == nil && left == 0
	}, 3*wait, tick)
	require.True(t, visitor.lead(30))
	n.isRefused("", "newer release")
}
