package chat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// Whoever looks for those that wait for a group does not see all of its site's conversations, nor those that all were
// offered in vain.
func TestWaitingConversationsAreFoundByGroup(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	plan := dbtest.Plan(t, d, waiterColumns+` WHERE (`+unsorted+`, id) > ($1, $2) AND `+ofGroup+` ORDER BY `+unsorted+`, id LIMIT $3`, 0, 0, 500, 7, 9, 0, 1)
	require.Contains(t, plan[0], "conversations_of_group (site_id=? AND group_id=? AND offered_until>? AND offered_until<?)")
}
