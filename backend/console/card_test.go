package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// A lead stands among the pages at its time, and long lists show their beginning.
func TestCardHasLeadsInItsTimelineAndFoldsLongLists(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		h := d.hit(visit.Arrival{URL: "https://shop.example/order", Title: "Order"})
		for i := range 12 {
			d.pass(time.Second)
			d.lead(h, map[string]any{"message": fmt.Sprintf("Request %d", i), "form_name": "Order", "email": fmt.Sprintf("anna%d@mail.example", i)})
		}
		require.NoError(t, d.Visits.TrackEvent(t.Context(), d.shop.ID, h.Ref, "event00000000000000001", visit.UserEvent{Category: "catalogue", Action: "download"}))
		page := d.signedIn("vera").get(fmt.Sprintf("/visitors/%d/%d", d.shop.ID, h.Visitor))
		require.Equal(t, http.StatusOK, page.status)
		document, err := goquery.NewDocumentFromReader(strings.NewReader(page.body))
		require.NoError(t, err)

		steps := document.Find(".steps > li")
		require.Equal(t, 14, steps.Length(), "a page, an event and the leads")
		require.Contains(t, steps.Eq(1).Text()+steps.Eq(0).Text(), "Request 11")
		require.Contains(t, steps.Last().Text(), "/order", "newest first")
		require.Equal(t, 12, document.Find(".steps .lead a[href^='/leads/']").Length())

		folded := document.Find("details.all")
		require.Equal(t, 2, folded.Length())
		require.Equal(t, "Show all 12", folded.First().Find("summary").Text())
		require.Equal(t, 4, document.Find("section[aria-labelledby=contacts] > dl > div").Length())
		require.Equal(t, 8, folded.First().Find("dl > div").Length())
		require.Equal(t, 5, document.Find("section[aria-labelledby=leads-of] > ol > li").Length())
		require.Equal(t, 7, folded.Last().Find("li").Length())
		require.Contains(t, page.body, "Visitor ID")
	})
}
