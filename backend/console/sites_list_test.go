package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Many sites are searched, narrowed and sorted. Their names stand as people write them.
func TestListOfSitesIsSearched(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		require.Zero(t, b.document("/sites").Find("form.filters").Length(), "one site is seen at once")
		for _, key := range []string{"xn--80avem4d.xn--p1ai", "books.example", "bulbs.example", "chairs.example", "desks.example"} {
			_, err := d.Sites.Provision(t.Context(), key)
			require.NoError(t, err)
		}
		d.hit(visit.Arrival{})
		shown := func(fields ...string) (keys []string) {
			query := url.Values{}
			for i := 0; i < len(fields); i += 2 {
				query.Set(fields[i], fields[i+1])
			}
			for _, a := range b.document("/sites?" + query.Encode()).Find(".rows.sites .who a").EachIter() {
				keys = append(keys, a.Text())
			}
			return keys
		}
		require.Len(t, shown(), 6)
		require.Equal(t, []string{"books.example", "bulbs.example"}, shown("q", "B", "order", "byKey", "state", "waiting"))
		require.Equal(t, []string{"лампы.рф"}, shown("q", "лампы"))
		require.Equal(t, []string{"лампы.рф"}, shown("q", "xn--80"))
		require.Equal(t, []string{"shop.example"}, shown("state", "alive"))
		require.Equal(t, "shop.example", shown("order", "bySeen")[0])
		require.Empty(t, shown("q", "nothing"))
		require.Contains(t, b.get("/sites?q=nothing").body, "No site matches")
		require.Equal(t, "лампы.рф", b.document("/lookup?q=лам").Find("#found a").Text())
	})
}

// Sites with problems come first, or those with the most pages.
func TestSitesAreSorted(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		for i, key := range []string{"a.example", "b.example", "c.example", "d.example", "e.example"} {
			s, err := d.Sites.Provision(t.Context(), key)
			require.NoError(t, err)
			for range 10 * i {
				d.Sites.Page(s.ID, "woven")
			}
			if key == "b.example" {
				d.Sites.Page(s.ID, "csp")
				require.NoError(t, d.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
					return incident.Note(ctx, tx, incident.Incident{SiteID: s.ID, Kind: incident.Limit, About: "views", Name: "views"}, true, d.now())
				}))
			}
			if key == "a.example" {
				d.Sites.Page(s.ID, "csp")
			}
		}
		require.NoError(t, d.Sites.StorePages(t.Context()))
		listed := func(order string) (keys []string) {
			for _, row := range b.document("/sites?order=" + order).Find(".rows.sites strong").EachIter() {
				keys = append(keys, row.Text())
			}
			return keys
		}
		require.Equal(t, []string{"b.example", "a.example"}, listed("byWrong")[:2])
		require.Equal(t, []string{"e.example", "d.example", "c.example"}, listed("byTraffic")[:3])
		one, err := d.Sites.OfKey(t.Context(), "c.example")
		require.NoError(t, err)
		require.Equal(t, http.StatusSeeOther, b.post(fmt.Sprint("/sites/", one.ID, "/suspended"), "suspended", "true").status)
		page := b.document("/sites?state=suspended")
		require.Equal(t, "c.example", page.Find(".rows.sites strong").Text())
	})
}

// The pages of a site are one step from each other.
func TestPagesOfASiteAreTabs(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		home := fmt.Sprint("/sites/", d.shop.ID)
		tabs := []string{home, home + "/check", home + "/settings", home + "/widget", home + "/deliveries", home + "/conversions", home + "/groups", home + "/replies"}
		for _, path := range tabs {
			page := b.document(path)
			var links []string
			for _, a := range page.Find(".tabs a").EachIter() {
				links = append(links, a.AttrOr("href", ""))
			}
			require.Equal(t, tabs, links, path)
			require.Equal(t, path, page.Find(".tabs [aria-current=page]").AttrOr("href", ""))
			require.Equal(t, 1, page.Find("h1").Length(), path)
		}
	})
}
