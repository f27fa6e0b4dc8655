package dispatch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// Groups that are waited for are found without those who do not wait, and without sorting.
func TestAwaitedGroupsAreFoundByTheirIndex(t *testing.T) {
	plan := strings.Join(dbtest.Plan(t, dbtest.Open(t, dbtest.SQLite(t)), awaitedGroups), "\n")
	require.Contains(t, plan, "USING COVERING INDEX conversations_of_group")
	require.NotContains(t, plan, "TEMP B-TREE")
}
