package visit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// Whom a caller's number belongs to is found by the number, and not by going through all contacts of the site.
func TestAPhoneIsFoundByItsIndex(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	plan := dbtest.Plan(t, d, knownByPhone, 1, "74950000001", 100, 20)
	require.Contains(t, plan, "SEARCH contacts USING INDEX contacts_of_phone (site_id=? AND value=?)")
	require.Contains(t, plan, "SEARCH p USING INDEX sqlite_autoindex_visitors_1 (site_id=? AND id=?)")
}
