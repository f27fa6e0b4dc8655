package visit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// Several nodes, and one that starts again, come to the same connections of a pooler: nothing of one may be left there that
// stands in another's way.
func TestNodesBehindAPooler(t *testing.T) {
	server := dbtest.OwnServer(t)
	settings := db.Settings{Engine: db.Postgres, Source: dbtest.OwnPooler(t, server).Source("postgres"), Direct: server.Source()}
	first := visittest.Open(t, dbtest.Open(t, settings), time.Now)
	view := first.See(t, 0, "https://shop.example/")
	require.NoError(t, first.SetProperty(t.Context(), site, view.Ref, "seen", nil))
	for range 3 {
		again := visittest.Open(t, dbtest.Open(t, settings), time.Now)
		for _, node := range []*visittest.Rooms{first, again} {
			properties, err := node.Properties(t.Context(), site, view.Visitor)
			require.NoError(t, err)
			require.Contains(t, properties, "seen")
		}
	}
}
