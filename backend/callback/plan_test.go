package callback

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// A visitor's card does not look for the visitor's callbacks among all of the site's.
func TestCallbacksOfAVisitorAreFoundByTheVisitor(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	query, args := Filter{Sites: scope.Of(7), Visitor: 3}.query(10)
	require.Equal(t, []string{"SEARCH callbacks USING INDEX callbacks_of_visitor (site_id=? AND visitor_id=? AND (created_at,id)<(?,?))"}, dbtest.Plan(t, d, query, args...))
}
