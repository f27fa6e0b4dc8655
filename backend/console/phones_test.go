package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// A number is shown as its country writes it, with its extension and with what the
// visitor wrote. One of which the country is not known stays as it was written.
func TestPhonesOfLeads(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		shown := func(written, region string) (text, link, inList, onCard string) {
			h := d.hit(visit.Arrival{})
			l, _, err := d.Leads.Add(t.Context(), submission.Submission{SiteID: d.shop.ID, Ref: h.Ref, Origin: lead.Script, Name: "Anna", Phone: written, Region: region})
			require.NoError(t, err)
			fact := func(path string) *goquery.Selection {
				document, err := goquery.NewDocumentFromReader(strings.NewReader(b.get(path).body))
				require.NoError(t, err)
				return document.Find("dt:contains('Phone') + dd")
			}
			found := fact(fmt.Sprintf("/leads/%d/%d", d.shop.ID, l.ID))
			list, err := goquery.NewDocumentFromReader(strings.NewReader(b.get("/leads").body))
			require.NoError(t, err)
			return found.Text(), found.Find("a").AttrOr("href", ""), list.Find(fmt.Sprintf("#lead-%d-%d .who small", d.shop.ID, l.ID)).Text(),
				fact(fmt.Sprintf("/visitors/%d/%d", d.shop.ID, h.Visitor)).Text()
		}
		text, link, list, card := shown("8 (495) 000-01-77", "RU")
		require.Equal(t, "+7 495 000-01-77 written 8 (495) 000-01-77", text)
		require.Equal(t, "tel:+74950000177", link)
		require.Equal(t, "+7 495 000-01-77", list)
		require.Equal(t, text, card)

		text, link, list, card = shown("8 (495) 000-01-77", "")
		require.Equal(t, "8 (495) 000-01-77", text)
		require.Empty(t, link, "nobody knows whom it would call")
		require.Equal(t, "8 (495) 000-01-77", list)
		require.Equal(t, text, card)

		text, link, list, card = shown("8 495 000-01-77 доб. 3456", "RU")
		require.Equal(t, "+7 495 000-01-77 ext. 3456 written 8 495 000-01-77 доб. 3456", text)
		require.Equal(t, "tel:+74950000177", link)
		require.Equal(t, "+7 495 000-01-77 ext. 3456", list)
		require.Equal(t, text, card)
		require.Contains(t, b.get("/visitors").body, "Anna")
	})
}

// A newsletter is no advertising.
func TestAdvertisingIsWhatIsPaidFor(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, query := range []string{"utm_source=news&utm_medium=email", "utm_source=Google&utm_medium=CPC", "gclid=x", "fbclid=x", ""} {
			d.hit(visit.Arrival{URL: "https://shop.example/?" + query})
		}
		document, err := goquery.NewDocumentFromReader(strings.NewReader(d.signedIn("vera").get("/visitors").body))
		require.NoError(t, err)
		require.Equal(t, "2", document.Find("dt:contains('From advertising') + dd").Text())
	})
}
