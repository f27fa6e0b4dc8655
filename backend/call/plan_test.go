package call

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// The earlier calls of a caller are found by the caller, and not by going through all calls of the site.
func TestEarlierCallsAreFoundByTheirCaller(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	plan := dbtest.Plan(t, d, earlierCalls, 1, "74950000001", 1_790_000_000_000, latestOfCaller, maxAcquaintances)
	require.Contains(t, plan, "SEARCH calls USING INDEX calls_of_caller (site_id=? AND caller=? AND started_at<?)")
}
