package conversion

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// A destination that is told of a call does not go through all that it has been told.
func TestConversionsAreFoundByTheirSubject(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	plan := dbtest.Plan(t, d, `SELECT goal FROM conversions WHERE `+countingOnes, 7, 9, "call", 3)
	require.Contains(t, plan, "SEARCH conversions USING INDEX conversions_of_subject (site_id=? AND subject_id=? AND subject=?)")
}
