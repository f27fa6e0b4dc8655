package console_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

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
