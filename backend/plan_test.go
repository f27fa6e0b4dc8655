package backend

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Who searches all texts for a person goes on where a part has ended. SQLite does not begin anew with each part, or sort what is left.
func TestTextsAreSearchedInTheirOrder(t *testing.T) {
	desk, done, err := ready(t, start(t, dbtest.SQLite(t), zap.NewNop(), Configuration{})).Use()
	require.NoError(t, err)
	defer done()
	searched := 0
	for _, table := range desk.Persons.Tables() {
		if len(table.Texts) == 0 {
			continue
		}
		searched++
		for _, sites := range []scope.Sites{scope.All(), scope.Of(7), scope.Of(7, 8)} {
			if len(sites.IDs()) == 2 && table.Key[0] == "site_id" { // each is asked for by itself
				continue
			}
			_, next, values := table.Parts(sites)
			plan := dbtest.Plan(t, desk.DB, next, slices.Repeat([]any{5}, values)...)
			require.Len(t, plan, 1, "%s, %s: %s", table.Name, sites, plan)
			require.Regexp(t, `>(\((\?,)*\?\)|\?)`, plan[0], "%s, %s", table.Name, sites)
		}
	}
	require.Greater(t, searched, 20)
}
