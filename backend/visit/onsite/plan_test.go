package onsite

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// What visitors do is found by the visitors, and not by going through all visits of their sites.
func TestDoingsAreFoundByVisitor(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	require.Contains(t, dbtest.Plan(t, d, fmt.Sprintf(doings, "TRUE", "VALUES ($1, $2)"), 7, 9), "SEARCH v USING INDEX visits_of_visitor (visitor_id=? AND site_id=?)")
}
