package edge

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

// set changes the site's settings, and returns its new version.
func (f *front) set(version int64, settings site.Settings) int64 {
	f.t.Helper()
	desk, done, err := f.edge.Service.Use()
	require.NoError(f.t, err)
	defer done()
	changed, err := desk.Sites.Change(f.t.Context(), "shop", version, settings, "vera")
	require.NoError(f.t, err)
	return changed.Version
}

// The numbers of a site stand above the configuration's, from the next page on.
func TestOwnNumbersStandAboveTheConfigured(t *testing.T) {
	f := serve(t, numbered()).ready()
	require.Contains(t, f.get("/?utm_source=news").body, "8 (495) 765-00-01")
	own := []Number{{
		Number:   "74951234567",
		Pictures: []Picture{{Place: "img", Size: 20}},
		Tracking: []Tracking{{Name: "Letters", Static: "74957650002", When: []string{"utm_source=news"}}, {Static: "74957650003", When: []string{"utm_source=leaflet"}}},
	}}
	version := f.set(0, site.Settings{Numbers: own})
	news := f.get("/?utm_source=news").body
	require.Contains(t, news, "8 (495) 765-00-02")
	require.NotContains(t, news, "765-00-01")
	require.Contains(t, f.get("/?utm_source=leaflet").body, "8 (495) 765-00-03")
	records, told, _ := f.hit("1", f.address+"/?utm_source=leaflet", "")
	require.True(t, told)
	require.Equal(t, "74957650003", records[0].Raw)
	require.Equal(t, http.StatusOK, f.get(*records[1].Img).StatusCode, "its picture is drawn")

	// Without the site's numbers, those of the configuration are as before.
	f.set(version, site.Settings{})
	require.Contains(t, f.get("/?utm_source=news").body, "8 (495) 765-00-01")
	require.Equal(t, http.StatusOK, f.get(*records[1].Img).StatusCode, "pages that are open keep their picture")
}

// A change on one node is in effect on the other within a moment.
func TestOwnNumbersReachOtherNodes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "frontdesk.db")
	here := serveOn(t, numbered(), db.Settings{Engine: db.SQLite, Source: file}, origin).ready()
	there := serveOn(t, numbered(), db.Settings{Engine: db.SQLite, Source: file}, origin).ready()
	require.Contains(t, there.get("/?utm_source=news").body, "8 (495) 765-00-01")
	here.set(0, site.Settings{Numbers: []Number{{Number: "74951234567", Tracking: []Tracking{{Static: "74957650002", When: []string{"utm_source=news"}}}}}})
	began := time.Now()
	require.Eventually(t, func() bool { return strings.Contains(there.get("/?utm_source=news").body, "8 (495) 765-00-02") }, wait, tick)
	t.Logf("in effect on the other node after %v", time.Since(began).Round(time.Millisecond))
}

// A number that the configuration does not have is replaced too, also by the site's pool.
func TestOwnPools(t *testing.T) {
	f := serve(t, effect.Settings{}).ready()
	_, told, _ := f.hit("0", f.address+"/", "")
	require.False(t, told)
	f.set(0, site.Settings{
		Pools:   map[string]number.DeclaredPool{"spring": {Numbers: []string{"74957650011"}, Hold: time.Minute, Exhausted: number.ShowReserve, Reserve: "74957650019"}},
		Numbers: []Number{{Number: "74951234567", Tracking: []Tracking{{Pool: "spring"}}}},
	})
	first, _, _ := f.hit("1", f.address+"/", "")
	require.Equal(t, "74957650011", first[0].Raw)
	second, _, _ := f.hit("2", f.address+"/", "")
	require.Equal(t, "74957650019", second[0].Raw, "the pool is exhausted")
	require.Equal(t, []bool{true, false}, []bool{first[0].DT, second[0].DT}, "all share the reserve")
	require.Positive(t, second[0].Lasts, "the page asks again")
	desk, done, err := f.edge.Service.Use()
	require.NoError(t, err)
	defer done()
	uses, err := desk.Leases.Uses(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, uses, 1)
	require.Equal(t, "1/spring", uses[0].Pool, "another site's pool of this name is another one")
	require.Equal(t, "spring", number.PoolTitle(uses[0].Pool))
}

// When the configuration has changed, stored numbers may conflict with it.
func TestOwnNumbersThatConflictAreLeftOut(t *testing.T) {
	f := serve(t, numbered()).ready()
	for name, own := range map[string]site.Settings{
		"a pool of that name": {Pools: map[string]number.DeclaredPool{"auto": {Numbers: []string{"74957650011"}}}},
		"its numbers":         {Pools: map[string]number.DeclaredPool{"spring": {Numbers: []string{"74957650021"}}}},
		"a place":             {Numbers: []Number{{Number: "74950000000", Selectors: []string{"img"}}}},
		"no such pool":        {Numbers: []Number{{Number: "74950000000", Tracking: []Tracking{{Pool: "winter"}}}}},
		"a tracking number":   {Numbers: []Number{{Number: "74950000000", Tracking: []Tracking{{Static: "74957650001"}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			pool := &number.Pool{Name: "auto", Digits: []string{"74957650021"}}
			f.edge.Pools = func() number.ConfiguredPools {
				return number.ConfiguredPools{Named: map[string]*number.Pool{"auto": pool}, Of: map[string]string{"74957650021": "auto"}}
			}
			desk, done, err := f.edge.Service.Use()
			require.NoError(t, err)
			defer done()
			shop, err := desk.Sites.ByKey(t.Context(), "shop")
			require.NoError(t, err)
			f.set(shop.Version, own)
			require.Contains(t, f.get("/?utm_source=news").body, "8 (495) 765-00-01", "the configuration's number goes on")
			_, _, faults := f.told.all()
			require.Empty(t, faults)
		})
	}
}
