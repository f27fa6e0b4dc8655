package attribution_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// Pages that replace numbers follow the visitor's cookie, and the script follows the stored visits. Both show the same
// numbers, on whichever way a visitor goes through a site.
func TestStoredVisitsDecideAsTheCookieDoes(t *testing.T) {
	plans := map[string][]string{
		"by campaign and referrer": byNewsAndGoogle,
		"direct visits too":        {"utm_source=news", "kind=direct landing=/a", "kind=direct"},
		"one for all others":       {"gclid", "kind=search", ""},
	}
	pages := []string{"/a", "/b", "/b?page=2", "/a?utm_source=news", "/b?utm_source=news", "/?utm_source=blog", "/a?gclid=1"}
	referrers := []string{"within", "within", "within", "", google, "https://blog.example/post"}
	pauses := []time.Duration{time.Second, time.Second, 5 * time.Minute, 20 * time.Minute, 40 * time.Minute, 26 * time.Hour}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		random := rand.New(rand.NewPCG(1, 2))
		now := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
		visits := visittest.Open(t, d, func() time.Time { return now })
		shown := map[string]int{}
		views := 0
		for name, lines := range plans {
			for _, a := range []attribution.Model{attribution.First, attribution.Last, attribution.LastNonDirect} {
				for range 12 {
					v := newVisitor(t, a, lines...)
					v.now = now
					var visitor visit.ID
					var path []string
					for n := range 12 {
						page, referrer := pages[random.IntN(len(pages))], referrers[random.IntN(len(referrers))]
						if n == 0 && referrer == "within" {
							referrer = ""
						}
						now = now.Add(pauses[random.IntN(len(pauses))])
						v.now = now
						path = append(path, now.Format("02 15:04 ")+page+" from "+referrer)
						want := v.open(page, referrer)
						if referrer == "within" {
							referrer = "https://shop.example/before"
						}
						views++
						view, err := visits.Arrive(t.Context(), 1, visitor, visit.Arrival{
							Nonce: fmt.Sprint("view ", views), URL: "https://shop.example" + page, Referrer: referrer, Kind: "load",
						})
						require.NoError(t, err)
						visitor = view.Visitor
						stored, err := a.ChooseStored(t.Context(), v.plan, visits.Visits, 1, source.Own{}, view)
						require.NoError(t, err)
						require.Equal(t, want, v.plan.Shown(stored)[0], "%s, %s: %q", name, a, path)
						if v.cookie != "" {
							remembered, err := attribution.ParseCookie(v.cookie)
							require.NoError(t, err)
							require.Equal(t, want, v.plan.Shown(a.FollowView(v.plan, remembered, view))[0], "%s, %s: %q", name, a, path)
						}
						shown[string(a)+want]++
					}
				}
			}
		}
		require.Greater(t, len(shown), 8, "visitors of all kinds have been seen")
	})
}

// A view that a single-page site shows without loading is within the visit, whatever its address is.
func TestStoredViewsWithoutALoad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		visits := visittest.Open(t, d, time.Now)
		p := plan(t, byNewsAndGoogle...)
		see := func(visitor visit.ID, address, referrer, kind string) (visit.ID, string) {
			view, err := visits.Arrive(t.Context(), 1, visitor, visit.Arrival{Nonce: address + kind, URL: "https://shop.example" + address, Referrer: referrer, Kind: kind})
			require.NoError(t, err)
			choice, err := attribution.LastNonDirect.ChooseStored(t.Context(), p, visits.Visits, 1, source.Own{}, view)
			require.NoError(t, err)
			return view.Visitor, p.Shown(choice)[0]
		}
		visitor, shown := see(0, "/?utm_source=news", "", "load")
		require.Equal(t, "1", shown)
		for _, kind := range []string{"history", "restore", "reinit", "load"} {
			_, shown = see(visitor, "/a", "https://shop.example/", kind)
			require.Equal(t, "1", shown, kind)
		}
		_, shown = see(visitor, "/b", google, "load")
		require.Equal(t, "2", shown)
		_, shown = see(visitor, "/?utm_source=news", "", "history")
		require.Equal(t, "2", shown)
	})
}

// A plan that does not depend on the source does not query the database.
func TestStoredVisitsAreNotAskedInVain(t *testing.T) {
	p := plan(t, "")
	choice, err := attribution.Last.ChooseStored(t.Context(), p, nil, 1, source.Own{}, visit.View{})
	require.NoError(t, err)
	require.Equal(t, "1", p.Shown(choice)[0])
	news := source.Source{Kind: source.Campaign, Source: "news"}
	for _, a := range []attribution.Model{attribution.Last, attribution.LastNonDirect} {
		choice, err = a.ChooseStored(t.Context(), plan(t, byNewsAndGoogle...), nil, 1, source.Own{}, visit.View{Came: news})
		require.NoError(t, err)
		require.Equal(t, "1", p.Shown(choice)[0])
	}
}
