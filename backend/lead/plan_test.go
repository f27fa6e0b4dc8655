package lead

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// The parts of a page's leads are found by the index of those that were merged: few are. By another, SQLite would go
// through all leads of the sites for each page.
func TestPartsAreFoundByTheirIndex(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	set, args := db.Among([]Key{{1, 2}, {3, 4}}, (*Key).fields)
	searches := 0
	for _, step := range dbtest.Plan(t, d, fmt.Sprintf(tree, set)+` SELECT site_id, root, id FROM tree LIMIT 50`, args...) {
		if strings.HasPrefix(step, "SEARCH") {
			searches++
			require.Contains(t, step, "leads_merged (site_id=? AND merged_into=?)")
		}
	}
	require.Equal(t, 2, searches)
}
