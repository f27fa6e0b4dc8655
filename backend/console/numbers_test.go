package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
)

func TestNumbersAreShown(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		require.Contains(t, b.get("/numbers").body, "No numbers seen yet")

		found := map[string][]inventory.Writing{
			"74951234567": {{Text: "8 (495) 123-45-67", Place: "text", Count: 2}, {Text: "+74951234567", Place: "tel", Count: 1}},
			"74957654321": {{Text: "+7 495 765-43-21", Place: "attribute", Count: 1}},
			"15550100000": {{Text: "+15550100000", Place: "callto", Count: 1}},
		}
		require.NoError(t, d.Numbers.Learn(t.Context(), d.shop.ID, "/contacts.html", found))
		delete(found, "74957654321")
		require.NoError(t, d.Numbers.Learn(t.Context(), d.shop.ID, "/", found))
		// Two nodes serve the site.
		d.declareNumbers("a", number.Declared{Digits: "74951234567", Tracking: []string{"74957654321", "74957654322"}})
		d.declareNumbers("b", number.Declared{Digits: "78005553535"}, number.Declared{Digits: "78005553535"})
		page := b.get("/numbers")
		require.Equal(t, http.StatusOK, page.status)
		for _, text := range []string{
			"&#43;7 495 123-45-67", "74951234567", ">8 (495) 123-45-67<", "text · call links</small>", "2 pages", "<bdi>/</bdi></small>", "Configured",
			"Tracking number", "A tracking number for &#43;7\u00a0495\u00a0123\u201145\u201167 is written into the page itself", "/contacts.html",
			"not a valid number in its country", "Not configured",
			"&#43;7 800 555-35-35", "Not found on the pages seen so far.",
		} {
			require.Contains(t, page.body, text)
		}
		require.Equal(t, 1, strings.Count(page.body, "Not found on the pages"))
		require.Equal(t, http.StatusSeeOther, d.browser().get("/numbers").status, "for operators only")
	})
}

func TestNumbersOfSeveralSites(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		for i := range 25 {
			site, err := d.Sites.Provision(t.Context(), fmt.Sprintf("shop-%02d.example", i))
			require.NoError(t, err)
			require.NoError(t, d.Numbers.Learn(t.Context(), site.ID, "/", map[string][]inventory.Writing{fmt.Sprint(74951234500 + i): nil}))
		}
		all := b.get("/numbers").body
		require.Contains(t, all, "<h2>shop-00.example</h2>")
		require.Contains(t, all, "<h2>shop-18.example</h2>")
		require.NotContains(t, all, "<h2>shop-24.example</h2>")
		require.Contains(t, all, "Choose a site above")
		last, err := d.Sites.ByKey(t.Context(), "shop-24.example")
		require.NoError(t, err)
		one := b.get(fmt.Sprint("/numbers?site=", last.ID)).body
		require.Contains(t, one, "74951234524")
		require.NotContains(t, one, "74951234500")
	})
}

// Paths are the visitors' to choose, and writings the origin's.
func TestHostileNumbersStayText(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		require.NoError(t, d.Numbers.Learn(t.Context(), d.shop.ID, "/"+hostile, map[string][]inventory.Writing{
			hostile:       {{Text: hostile, Place: hostile, Count: 1}},
			"74951234567": {{Text: hostile, Place: "text", Count: 1}},
		}))
		d.declareNumbers("a", number.Declared{Digits: "74951234567", Tracking: []string{hostile}})
		document, err := goquery.NewDocumentFromReader(strings.NewReader(d.signedIn("vera").get("/numbers").body))
		require.NoError(t, err)
		require.Zero(t, document.Find("main script, main img, [onerror], hx-partial").Length())
		require.Equal(t, 2, document.Find(".numbers .rows > li").Length())
	})
}

func TestManyPagesAreSaidToBeMany(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for i := range inventory.MaxPages + 1 {
			require.NoError(t, d.Numbers.Learn(t.Context(), d.shop.ID, fmt.Sprint("/", i), map[string][]inventory.Writing{"74951234567": nil}))
		}
		d.pass(time.Hour)
		body := d.signedIn("vera").get("/numbers").body
		require.Contains(t, body, "100&#43; pages")
		require.Contains(t, body, "1 h ago")
	})
}
