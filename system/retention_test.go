package system

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// A configuration says for how long visits are kept, and a reload brings that into effect.
func TestRetention(t *testing.T) {
	s := run(t, option+tracked).Ready()
	sender := s.arrive()
	require.True(t, sender.lead(100))
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	defer done()
	require.NoError(t, desk.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE visits SET last_at = last_at - $1`, 801*24*3600*1000)
		return err
	}))
	status, _ := s.call("hit", map[string]any{"site_key": "shop", "view": strings.Repeat("y", 22), "url": s.Text("http://localhost:$PORT/"), "kind": "load"})
	require.Equal(t, http.StatusOK, status)
	require.NoError(t, s.Load(strings.Replace(option, "database", "retention 800d\n\t\tdatabase", 1)+tracked))
	require.Eventually(t, func() bool {
		left, _, err := db.One(t.Context(), desk.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM visits`)
		require.NoError(t, err)
		return left == 1
	}, wait, tick)
	require.Len(t, leadsOf(t, desk), 1)
}
