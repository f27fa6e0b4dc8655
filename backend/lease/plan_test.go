package lease

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// The numbers of a site's pools are found by those that are declared for it, not among all sites'.
func TestUsesOfPoolsAreFoundByTheSite(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	require.Contains(t, dbtest.Plan(t, d, usesOfPools, 7, 0), "SEARCH n USING INDEX sqlite_autoindex_pool_numbers_1 (digits=?)")
}

// The number of a visitor is found by the visitor, and not by going through all that the site's visitors have.
func TestANumberIsFoundByItsVisitor(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	require.Contains(t, dbtest.Plan(t, d, ownNumber, 7, 9, "74950000001"), "SEARCH pool_numbers USING INDEX pool_numbers_of_visitor (site_id=? AND visitor_id=? AND replaces=?)")
}
