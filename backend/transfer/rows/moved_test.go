package rows

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/db/table"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// named are columns that are called as if they had a number of something, and have a text of somebody else's.
var named = []string{"user_events.call_id", "calls.call_id", "messages.client_id", "callbacks.order_id", "callbacks.caller_id", "visits.source_click_id"}

// Each table with rows of sites moves, or it is said why not. What moves has all its numbers changed.
func TestNoTableIsForgotten(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		all, err := table.List(t.Context(), d)
		require.NoError(t, err)
		known := make(map[string]table.Table)
		for _, one := range all {
			known[one.Name] = one
			moves := slices.ContainsFunc(plan, func(m moved) bool { return m.name == one.Name })
			_, stays := Left[one.Name]
			require.NotEqual(t, moves, stays, "%s: expected it in the plan, or among what is left with a reason", one.Name)
		}
		for name := range Left {
			if name != "lead_search" { // which PostgreSQL alone has as a table
				require.Contains(t, known, name)
			}
		}
		sequence := make(map[reference]bool)
		for _, m := range plan {
			one := known[m.name]
			require.Equal(t, "site_id", one.Key[0], "%s is read in the order of its key, of a site", m.name)
			columns := make(map[string]table.Column)
			for _, c := range one.Columns {
				columns[c.Name] = c
				require.Contains(t, []string{table.Number, table.Text, table.Truth, table.Bytes}, c.Type, "%s.%s", m.name, c.Name)
				require.False(t, c.Nullable && c.Type != table.Text, "%s.%s: expected a text, if it may be null", m.name, c.Name)
				isNumber := c.Name == "id" || strings.HasSuffix(c.Name, "_id") || slices.Contains([]string{"merged_into", "unasked", "pool", "offered_to"}, c.Name)
				if isNumber && c.Name != "site_id" && !strings.Contains(c.Name, "click_id") && !slices.Contains(named, m.name+"."+c.Name) {
					require.Contains(t, m.refs, c.Name, "%s.%s: expected what it is the number of", m.name, c.Name)
				}
			}
			for _, column := range slices.Concat(slices.Collect(maps.Keys(m.refs)), slices.Collect(maps.Keys(m.words)), slices.Collect(maps.Keys(m.shapes)), m.wide) {
				require.Contains(t, columns, column, m.name)
			}
			for _, of := range m.refs {
				sequence[of] = true
			}
		}
		for _, s := range sequences {
			require.True(t, sequence[s], "nothing has a number of %s", s)
		}
	})
}
