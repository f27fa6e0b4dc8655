package edge

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestRetiredSitePassesUntouched(t *testing.T) {
	f := serve(t, numbered()).ready()
	require.NotEqual(t, shopPage, f.get("/").body)
	desk, done, err := f.edge.Service.Use()
	require.NoError(t, err)
	defer done()
	shop, err := desk.Sites.ByKey(t.Context(), "shop")
	require.NoError(t, err)
	_, err = desk.Sites.Retire(t.Context(), shop.ID, true, "vera")
	require.NoError(t, err)
	f.told.all()
	require.Equal(t, shopPage, f.get("/?utm_source=news").body, "though the configuration names it")
	require.Equal(t, shopPage, f.get("/frontdesk/svc.js").body, "there is no service")
	_, passed, _ := f.told.all()
	require.Equal(t, []string{retired}, passed)
	_, err = desk.Sites.Retire(t.Context(), shop.ID, false, "vera")
	require.NoError(t, err)
	require.NotEqual(t, shopPage, f.get("/").body)
}

func TestPagesOfASiteAreCounted(t *testing.T) {
	f := serve(t, numbered()).ready()
	f.get("/")
	f.get("/")
	f.do("DELETE", "/")
	f.get("/", "Site", "nobody")
	desk, done, err := f.edge.Service.Use()
	require.NoError(t, err)
	defer done()
	shop, err := desk.Sites.ByKey(t.Context(), "shop")
	require.NoError(t, err)
	counted := make(map[string]int64)
	// A page is counted when it has gone out.
	require.Eventually(t, func() bool {
		require.NoError(t, desk.Sites.StorePages(context.Background()))
		pages, err := desk.Sites.Pages(t.Context(), scope.All(), 1)
		require.NoError(t, err)
		require.LessOrEqual(t, len(pages), 1, "of no other site")
		clear(counted)
		for _, p := range pages[shop.ID] {
			counted[p.Outcome] = p.Number
		}
		return counted["woven"] == 2 && counted["method"] == 1
	}, wait, tick)
	require.Len(t, counted, 2)
}
