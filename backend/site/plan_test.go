package site

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// Each node looks twice a second whether a site is another one. That does not read the settings of all.
func TestChangesOfSitesAreSeenWithoutTheirSettings(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	require.Equal(t, []string{"SCAN sites USING COVERING INDEX sites_versions"}, dbtest.Plan(t, d, marked))
}
