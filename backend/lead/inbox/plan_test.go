package inbox

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// Who left a number is found by it, in all sites as in one.
func TestANumberIsFoundByItsIndex(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	for index, sites := range map[string]scope.Sites{
		"lead_numbers_of_number (number=?":                                          scope.All(),
		"sqlite_autoindex_lead_numbers_1 (site_id=? AND number=? AND (at,lead_id)<": scope.Of(7),
	} {
		page := browsing{Inbox: New(d, nil, time.Now), from: d.Read(), filter: Filter{Number: "74950000001"}}
		page.filter.Sites = sites
		require.NoError(t, page.choose(t.Context(), nil))
		q := page.query(&key{at: 1_790_000_000_000}, nil, true, " LIMIT 51")
		plan := strings.Join(dbtest.Plan(t, d, q.text.String(), q.args...), "\n")
		require.Contains(t, plan, index)
		require.NotContains(t, plan, "SCAN n")
	}
}
