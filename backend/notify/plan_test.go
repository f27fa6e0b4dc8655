package notify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// What waits is counted without what was delivered.
func TestUndeliveredAreFoundByTheirState(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	require.Contains(t, dbtest.Plan(t, d, undelivered, 7), "SEARCH deliveries USING INDEX deliveries_of_state (site_id=? AND state=?)")
}

// A million may be held that nobody releases: those that can be are found without them, and in their order.
func TestHeldAreFoundByTheirEndpoint(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	const index = "deliveries_held (site_id=? AND endpoint_id=? AND state=?)"
	require.Contains(t, strings.Join(dbtest.Plan(t, d, resumable), "\n"), index)
	plan := strings.Join(dbtest.Plan(t, d, heldOf, 7, 8, releasedAtOnce), "\n")
	require.Contains(t, plan, index)
	require.NotContains(t, plan, "TEMP B-TREE")
}
