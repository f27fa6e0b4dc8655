package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"golang.org/x/net/idna"

	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// next is the step that the page's checklist says to take, or nothing without one.
func (b *browser) nextStep(page string) string {
	b.t.Helper()
	a := b.get(page)
	require.Equal(b.t, http.StatusOK, a.status, page)
	document, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	require.NoError(b.t, err)
	return document.Find(".first .now strong").Text()
}

func TestTheWayToTheFirstVisitor(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		page := fmt.Sprint("/sites/", d.shop.ID)
		says := func(step string) {
			t.Helper()
			require.Equal(t, step, b.nextStep("/sites"))
			require.Equal(t, step, b.nextStep(page))
		}
		passed := func(outcome string) {
			d.Sites.Page(d.shop.ID, outcome)
			require.NoError(t, d.Sites.StorePages(t.Context()))
		}
		says("Add it to the server's configuration")
		require.Contains(t, b.get(page).body, "shop.example {\n\tencode\n\tfrontdesk\n\treverse_proxy localhost:9000\n}")
		passed("not_html")
		passed("csp")
		says("Open a page of the site")
		require.Contains(t, b.get(page).body, "their Content Security Policy does not allow the code")
		require.Contains(t, b.get("/sites").body, "Pages are sent without the code")
		passed("woven")
		says("See the first visitor")
		d.hit(visit.Arrival{})
		says("")
		require.Contains(t, b.get(page).body, "Visited today")
		require.Equal(t, 4, b.document(page).Find(".guided li").Length())
		require.Zero(t, b.document(page).Find(".guided .done").Length())
		d.declareNumbers("node", number.Declared{Digits: "74951234567", Tracking: []string{"74957654321"}})
		d.call(telephony.Event{Call: "1", Kind: telephony.Start, Called: "74957654321"})
		require.Equal(t, 2, b.document(page).Find(".guided .done").Length(), "what is there is done")
		made := b.post(page+"/endpoints", "kind", "webhook", "as", "webhook", "address", "https://crm.example/leads", "events", "lead.added", "language", "en")
		require.Equal(t, http.StatusOK, made.status, made.body)
		require.Equal(t, 3, b.document(page).Find(".guided .done").Length())
		shop, err := d.Sites.Change(t.Context(), d.shop.Key, d.shop.Version, site.Settings{Widget: new(appearance.Widget)}, "vera")
		require.NoError(t, err)
		require.Zero(t, b.document(page).Find(".guided").Length(), "all is done")
		_, err = d.Sites.Change(t.Context(), d.shop.Key, shop.Version, site.Settings{}, "vera")
		require.NoError(t, err)
		require.Equal(t, 3, b.document(page).Find(".guided .done").Length())
		b.post(page + "/guide")
		require.Zero(t, b.document(page).Find(".guided").Length(), "hidden")
		require.Contains(t, b.get("/history").body, "Set-up steps")
		d.pass(25 * time.Hour)
		require.Contains(t, b.get(page).body, "No visits today")
	})
}

// A site that the configuration has is not to be put there; and a page that looks again takes no notice from the next one.
func TestTheWayOfAConfiguredSite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.Configured = func(key string) (site.Settings, bool) { return site.Settings{}, key == d.shop.Key }
		d.console.Close()
		d.console = console.New(d.Subjects, d.now, zap.NewNop())
		b := d.signedIn("vera")
		page := fmt.Sprint("/sites/", d.shop.ID)
		says := func() {
			t.Helper()
			require.Equal(t, "Open a page of the site", b.nextStep("/sites"))
			require.Equal(t, "Open a page of the site", b.nextStep(page))
			require.Contains(t, b.get(page).body, "in the server&#39;s configuration. Open one of its pages")
		}
		says()
		require.Equal(t, http.StatusSeeOther, b.post("/sites", "key", "a.example").status) // which is not in the configuration
		again := b.request(http.MethodGet, page)
		again.Header.Set("Console-Look", "again")
		require.NotContains(t, b.do(again).body, "The site is added.")
		require.Contains(t, b.get(page).body, "The site is added.")
		says()
	})
}

func TestSitesAreAddedOnceAndRetired(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		for _, taken := range []string{"shop.example", " Shop.EXAMPLE "} {
			a := b.post("/sites", "key", taken)
			require.Equal(t, http.StatusUnprocessableEntity, a.status)
			require.Contains(t, a.body, "There is already a site with this key.")
		}
		made := b.post("/sites", "key", "Books.Example")
		require.Equal(t, http.StatusSeeOther, made.status)
		page := made.header.Get("Location")
		require.Contains(t, b.get(page).body, ">books.example</h1>")
		for pasted, written := range map[string]string{"https://lamps.example:8443/all?of=them": "lamps.example", "лампы.example": "лампы.example", "http://Лампы.рф/": "лампы.рф"} {
			made := b.post("/sites", "key", pasted)
			require.Equal(t, http.StatusSeeOther, made.status, pasted)
			page := b.get(made.header.Get("Location")).body
			require.Contains(t, page, ">"+written+"</h1>", "as people write it")
			key, err := idna.Lookup.ToASCII(written)
			require.NoError(t, err)
			require.Contains(t, page, key+" {\n", "as browsers send it")
		}
		for _, refused := range []string{"", "two words", "https:///", "shop.example/path"} {
			require.Equal(t, http.StatusUnprocessableEntity, b.post("/sites", "key", refused).status, refused)
		}
		require.Equal(t, http.StatusNotFound, b.get("/sites/999").status)
		require.Equal(t, http.StatusNotFound, b.post("/sites/999/retired", "retired", "true").status)
		require.Equal(t, http.StatusNotFound, b.get("/sites/x").status)

		l := d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Anna"})
		shop := fmt.Sprint("/sites/", d.shop.ID)
		require.Equal(t, shop, b.post(shop+"/retired", "retired", "true").header.Get("Location"))
		require.Contains(t, b.get(shop).body, "The site is retired.")
		require.Contains(t, b.get("/sites").body, "Retired")
		require.Contains(t, b.get(fmt.Sprintf("/leads/%d/%d", d.shop.ID, l.ID)).body, "Anna", "its leads stay")
		require.Equal(t, http.StatusSeeOther, b.post(shop+"/retired", "retired", "false").status)
		require.Contains(t, b.get(shop).body, "The site is restored.")
		history := b.get("/history").body
		for _, text := range []string{"Site added", "Site retired", "Site restored", "<bdi>vera</bdi>"} {
			require.Contains(t, history, text)
		}
	})
}

// An admin of a site keeps it, and adds no others.
func TestAdminOfASiteKeepsIt(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "keeper", Password: password, Role: operator.Admin, Sites: scope.Of(d.shop.ID)})
		require.NoError(t, err)
		b := d.signedIn("keeper")
		require.NotContains(t, b.get("/sites").body, `name="key"`)
		require.Equal(t, http.StatusForbidden, b.post("/sites", "key", "new.example").status)
		require.Equal(t, http.StatusSeeOther, b.post(fmt.Sprintf("/sites/%d/retired", d.shop.ID), "retired", "true").status)
	})
}
