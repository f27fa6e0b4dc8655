package console_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// Among many sites, one is found by typing its host.
func TestManySitesAreFoundByTyping(t *testing.T) {
	d := newDesk(t, dbtest.Open(t, dbtest.SQLite(t)))
	require.NoError(t, d.Operators.Add(t.Context(), "vera", password, operator.Admin))
	b := d.signedIn("vera")
	for n := range 60 {
		_, err := d.Sites.Add(t.Context(), fmt.Sprintf("shop%d.example", n), "vera")
		require.NoError(t, err)
	}
	for _, path := range []string{"/leads", "/reports", "/reports/paths"} {
		require.NotContains(t, b.get(path).body, "shop7.example", "no page offers all of them")
	}
	suggested := b.get("/hosts?host=SHOP7").page(t)
	require.Equal(t, []string{"shop7.example"}, suggested.Find("option").Map(func(_ int, o *goquery.Selection) string { return o.AttrOr("value", "") }))
	require.Equal(t, 12, b.get("/hosts?host=shop").page(t).Find("option").Length())

	found := b.document("/leads?host=Shop7.example")
	require.Equal(t, "shop7.example", found.Find("#site").AttrOr("value", ""))
	require.Equal(t, "shop7.example", b.document("/leads").Find("#site").AttrOr("value", ""), "it is remembered")
	unknown := b.document("/leads?host=nowhere.example")
	require.Contains(t, unknown.Find("[role=alert]").Text(), "nowhere.example")
	require.Equal(t, "shop7.example", unknown.Find("#site").AttrOr("value", ""))
	require.Empty(t, b.document("/leads?host=").Find("#site").AttrOr("value", ""), "all again")

	require.Equal(t, 50, b.document("/sites").Find("ol.sites > li").Length())
	require.Equal(t, 1, b.document("/sites?q=shop59.").Find("ol.sites > li").Length())
	// Sites of an account are typed, each on a line.
	page := b.document("/operators")
	require.Equal(t, 1, page.Find("textarea[name=hosts]").Length())
	require.Zero(t, page.Find("[name=sites]").Length())
	refused := b.post("/operators", "login", "boris", "password", password, "role", "operator", "hosts", "shop7.example\nnowhere.example")
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.Contains(t, refused.page(t).Find("[role=alert]").Text(), "nowhere.example")
	require.Equal(t, "shop7.example\nnowhere.example", refused.page(t).Find("textarea").Text(), "it can be put right")
	require.Equal(t, http.StatusSeeOther, b.post("/operators", "login", "boris", "password", password, "role", "operator", "hosts", " Shop7.example, shop8.example\r\n\r\n").status)
	link := b.document("/operators").Find("ul.staff a, ol.staff a").FilterFunction(func(_ int, a *goquery.Selection) bool { return a.Text() == "boris" }).AttrOr("href", "")
	require.Equal(t, "shop7.example\nshop8.example\n", b.document(link).Find("textarea").Text())
	require.Equal(t, http.StatusUnprocessableEntity, b.post(link, "name", "", "role", "operator", "with", "sites", "hosts", "nowhere.example").status)
	require.Equal(t, "shop7.example\nshop8.example\n", b.document(link).Find("textarea").Text(), "nothing has changed")
	require.Equal(t, http.StatusSeeOther, b.post(link, "name", "", "role", "operator", "with", "sites", "hosts", "shop9.example").status)
	require.Equal(t, "shop9.example\n", b.document(link).Find("textarea").Text())
	require.Equal(t, http.StatusUnprocessableEntity, b.post("/tokens", "name", "A", "scopes", "leads:read", "days", "30", "hosts", "nowhere.example").status)
	require.Equal(t, http.StatusOK, b.post("/tokens", "name", "A", "scopes", "leads:read", "days", "30", "hosts", "shop9.example").status)

	require.Equal(t, http.StatusSeeOther, d.browser().get("/hosts?host=shop").status, "for operators")
}
