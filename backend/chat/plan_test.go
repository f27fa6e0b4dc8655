package chat

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// A list of conversations is in the order of an index: nobody goes through all that are closed, or sorts those of several sites.
func TestListsAreInTheOrderOfAnIndex(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	live, mine := Filter{Live: true}, Filter{Live: true, OperatorID: 3}
	for name, of := range map[string]struct {
		sites scope.Sites
		Filter
		found string
	}{
		"live ones of a site":       {scope.Of(7), live, "conversations_live_of_site (site_id=? AND (last_at,id)<(?,?))"},
		"live ones of two sites":    {scope.Of(7, 8), live, "conversations_live_of_site (site_id=? AND (last_at,id)<(?,?))"},
		"all of two sites":          {scope.Of(7, 8), Filter{}, "conversations_of_site (site_id=? AND (last_at,id)<(?,?))"},
		"those that wait, anywhere": {scope.All(), Filter{State: Waiting}, "conversations_live ((last_at,id)<(?,?))"},
		"an operator's":             {scope.All(), mine, "conversations_of_operator (operator_id=?)"},
		"an operator's at a site":   {scope.Of(7), mine, "conversations_of_operator (operator_id=?)"},
	} {
		where, args := listed(of.sites, of.Filter, Cursor{}, 101)
		plan := dbtest.Plan(t, d, `SELECT url FROM conversations WHERE `+where, args...)
		found := slices.DeleteFunc(slices.Clone(plan), func(step string) bool { return !strings.Contains(step, of.found) })
		require.Len(t, found, max(1, len(of.sites.IDs())), "%s: %s", name, plan)
		require.Equal(t, of.OperatorID != 0, slices.Contains(plan, "USE TEMP B-TREE FOR ORDER BY"), "%s: %s", name, plan)
	}
}

// Who closes conversations that have ended does not look at those that are closed.
func TestIdleConversationsAreSoughtAmongTheLive(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	plan := dbtest.Plan(t, d, `SELECT id FROM conversations WHERE `+idle+` ORDER BY last_at, id LIMIT $2`, 0, 10)
	require.Contains(t, plan[0], "conversations_live (last_at<?)")
}

// Whoever looks for those that wait for a group does not see all of its site's conversations, nor those that all were
// offered in vain.
func TestWaitingConversationsAreFoundByGroup(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	plan := dbtest.Plan(t, d, waiterColumns+` WHERE (`+unsorted+`, id) > ($1, $2) AND `+ofGroup+` ORDER BY `+unsorted+`, id LIMIT $3`, 0, 0, 500, 7, 9, 0, 1)
	require.Contains(t, plan[0], "conversations_of_group (site_id=? AND group_id=? AND offered_until>? AND offered_until<?)")
}
