package notify

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// What waits is counted without what was delivered.
func TestUndeliveredAreFoundByTheirState(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	require.Contains(t, dbtest.Plan(t, d, undelivered, 7), "SEARCH deliveries USING INDEX deliveries_of_state (site_id=? AND state=?)")
}
