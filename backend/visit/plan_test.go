package visit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// Whom a caller's number belongs to is found by the number, and not by going through all contacts of the site.
func TestAPhoneIsFoundByItsIndex(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	type step struct {
		id, parent, unused int64
		detail             string
	}
	plan, err := db.List(t.Context(), d.Read(), func(s *step) []any { return []any{&s.id, &s.parent, &s.unused, &s.detail} },
		`EXPLAIN QUERY PLAN `+knownByPhone, 1, "74950000001", 100, 20)
	require.NoError(t, err)
	var details []string
	for _, s := range plan {
		details = append(details, s.detail)
	}
	require.Contains(t, details, "SEARCH contacts USING INDEX contacts_of_phone (site_id=? AND value=?)")
	require.Contains(t, details, "SEARCH p USING INDEX sqlite_autoindex_visitors_1 (site_id=? AND id=?)")
}
