package console_test

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// visited is a shop with visits from some sources, and inquiries of some of them.
func (d *desk) visited() {
	d.t.Helper()
	d.held.Store(new(time.Now().UTC().Truncate(24 * time.Hour).Add(36 * time.Hour))) // noon of tomorrow: no midnight comes between
	require.NoError(d.t, d.keeper.Keep(d.t.Context()))
	at := func(address, referrer string) visit.View {
		return d.hit(visit.Arrival{URL: "https://shop.example" + address, Referrer: referrer})
	}
	for range 3 {
		at("/lamps?utm_source=news&utm_campaign=spring", "")
	}
	anna := at("/lamps?utm_source=news&utm_campaign=spring", "")
	boris := at("/", "https://www.google.com/")
	at("/", "")
	d.lead(anna, map[string]any{"name": "Anna", "phone": "8 (495) 123-45-67", "is_sale": true, "sale_cost": "1500.5"})
	d.lead(boris, map[string]any{"name": "Boris", "email": "boris@mail.example"})
	d.pass(10 * time.Minute)
	require.NoError(d.t, d.keeper.Keep(d.t.Context()))
}

func (a answer) document(t *testing.T) *goquery.Document {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, a.body)
	document, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	require.NoError(t, err)
	return document
}

// opened follows every link of the page to what is behind a figure, and expects as many rows there. It returns how many figures it
// has opened.
func (b *browser) opened(page *goquery.Document) (figures int) {
	b.t.Helper()
	page.Find("a[href^='/reports/rows?']").Each(func(_ int, link *goquery.Selection) {
		address := link.AttrOr("href", "")
		count, err := strconv.Atoi(link.Text())
		if err != nil || strings.Contains(address, "figure=visitors") || strings.Contains(address, "figure=persons") || strings.Contains(address, "figure=value") {
			return // a rate, a sum, or what stands for several
		}
		behind := b.get(address).document(b.t)
		require.Equal(b.t, count, behind.Find(".behind > li").Length(), address)
		figures++
	})
	return figures
}

func TestReport(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.visited()
		b := d.signedIn("vera")
		page := b.get("/reports?by=source").document(t)
		row := func(name string) (cells []string) {
			found := page.Find(".report tbody tr").FilterFunction(func(_ int, tr *goquery.Selection) bool { return tr.Find("th").First().Text() == name })
			require.Equal(t, 1, found.Length(), name)
			found.Find("td > a, td.nil").Each(func(_ int, cell *goquery.Selection) { cells = append(cells, cell.Contents().First().Text()) })
			return cells
		}
		require.Equal(t, []string{"4", "4", "4", "4", "1", "25%"}, row("news")[:6], "visits, visitors, first visits, views, inquiries, rate")
		require.Equal(t, "1", row("google")[4])
		require.Greater(t, b.opened(page), 20)
		require.Equal(t, 28, page.Find("[data-course] tbody tr").Length(), "the table beneath the chart has a row for each day")
		require.Equal(t, 1, page.Find("[data-state=running]").Length())

		require.Contains(t, b.get("/reports?by=country").body, "Where visitors are is told by a file of networks")
		narrowed := b.get("/reports?by=campaign&f.source=news").document(t)
		require.Equal(t, "spring", narrowed.Find(".report tbody th").Text())
		require.Equal(t, "news", narrowed.Find(".chips bdi").Text())
		two := b.get("/reports?by=source&and=kind").document(t)
		require.Equal(t, 2, two.Find(".report tbody tr").Length(), "that inquiries are divided by what visits do not have")
		heat := b.get("/reports?by=hour&and=weekday&span=today").document(t)
		require.Equal(t, 7*24, heat.Find(".heat td[class]").Length())
		require.Positive(t, b.opened(heat))

		exported := b.get(page.Find("a[download]").AttrOr("href", ""))
		require.Equal(t, "text/csv; charset=utf-8", exported.header.Get("Content-Type"))
		table, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(exported.body, "\ufeff"))).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"Source", "Visits"}, table[0][:2])
		require.Equal(t, []string{"news", "4"}, table[1][:2])
	})
}

// Events count in their visits, and by their names.
func TestReportOfEvents(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.visited()
		h := d.hit(visit.Arrival{URL: "https://shop.example/?utm_source=letter", Unscripted: true})
		for i, value := range []string{"7.5", "1.5", "much"} {
			require.NoError(t, d.Visits.TrackEvent(t.Context(), d.shop.ID, h.Ref, strconv.Itoa(i), visit.UserEvent{Category: "cart", Action: "<b>add</b>", Value: value}))
		}
		d.pass(time.Minute)
		require.NoError(t, d.keeper.Keep(t.Context()))
		b := d.signedIn("vera")
		require.Positive(t, b.opened(b.get("/reports?by=source&and=landing").document(t)))
		page := b.get("/reports?by=event&and=source").document(t)
		require.Equal(t, "cart · <b>add</b>", page.Find(".report tbody th").First().Text())
		require.Equal(t, "letter", page.Find(".report tbody th").Last().Text())
		require.Equal(t, []string{"3", "9"}, page.Find(".report tbody td a").Map(func(_ int, cell *goquery.Selection) string { return cell.Text() }))
		require.Equal(t, 2, b.get(page.Find(".report tbody td a").Last().AttrOr("href", "")).document(t).Find(".behind .row-link").Length(), "those with a value")
		require.Contains(t, b.get("/reports?by=kind&and=event").body, "Nothing was counted in this period")
		require.Equal(t, "1", b.get("/reports?by=source").document(t).Find("dt a[href*='figure=scriptless']").Parent().Parent().Find("dd a").First().Text())
	})
}

func TestWhatIsNoReport(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		require.Contains(t, b.get("/reports").body, "Nothing was counted in this period")
		for query, said := range map[string]string{
			"span=own&from=2026-10-31&to=2026-10-01": "The last day is before the first.",
			"span=own&from=1990-10-31&to=2026-10-01": "The period is longer than ten years.",
			"span=own&from=2999-10-31&to=2999-11-01": "The period has not begun yet.",
			"span=own":                               "Choose the first and the last day",
			"span=fortnight":                         "Choose the first and the last day",
			"span=90&step=hour":                      "The period is too long for this step.",
			"by=weather":                             "Reports know nothing by this name.",
			"f.weather=rain":                         "Reports know nothing by this name.",
			"by=source&and=source":                   "Choose two different things",
			"model=best":                             "Choose an attribution",
			"f.source=" + strings.Repeat("x", 1000):  "There are too many filters.",
			"window=91":                              "Choose an attribution",
		} {
			for _, path := range []string{"/reports?", "/reports/rows?figure=visits&", "/reports/export?"} {
				refused := b.get(path + query)
				require.Equal(t, http.StatusUnprocessableEntity, refused.status, query)
				require.Contains(t, refused.body, said, query)
				require.Contains(t, refused.body, `class="asked-for"`, "the form is there to be mended")
			}
		}
		require.Equal(t, http.StatusNotFound, b.get("/reports/rows?figure=weather").status)
		require.Equal(t, http.StatusNotFound, b.get("/reports/rows?figure=visits&v=a&v=b").status)
	})
}

// The visits that stood before sales and inquiries are told as paths, each with what is behind it, and as files.
func TestPaths(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		require.Contains(t, b.get("/reports/paths").body, "Nothing was sold in this period")
		d.visited()
		page := b.get(b.get("/reports").document(t).Find("a[href^='/reports/paths']").AttrOr("href", "")).document(t)
		require.Equal(t, "news", page.Find(".paths .stations").Text())
		require.Contains(t, page.Find(".paths tbody td").Text(), "1,500.5")
		require.Equal(t, 1, b.opened(page))
		inquiries := b.get("/reports/paths?goal=inquiries&by=channel").document(t)
		require.Equal(t, 2, inquiries.Find(".paths tbody tr").Length())
		require.Equal(t, 3, b.opened(inquiries), "two inquiries, and the sale of one")
		require.Equal(t, 1, b.get("/reports/paths?goal=inquiries&f.source=google").document(t).Find(".paths tbody tr").Length())

		address := inquiries.Find("a[download]").First().AttrOr("href", "")
		table, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(b.get(address).body, "\ufeff"))).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"Path", "Inquiries", "Sales", "Revenue", "Days from first to last", "Visits"}, table[0])
		require.Len(t, table, 3)
		require.Equal(t, table[0], b.get(address + "&format=xlsx").workbook(t)[0])

		for query, status := range map[string]int{"goal=visits": 422, "goal=weather": 422, "by=kind": 422, "by=weather": 422, "and=kind": 200} {
			for _, path := range []string{"/reports/paths?", "/reports/paths/export?"} {
				require.Equal(t, status, b.get(path+query).status, path+query)
			}
		}
		require.Equal(t, http.StatusNotFound, b.get("/reports/rows?path=1&goal=visits").status)
		require.Equal(t, http.StatusNotFound, b.get("/reports/rows?path="+strings.Repeat("1", 33)).status)
	})
}

// What is behind a figure can be had as a file, too.
func TestRowsBehindAsFile(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.visited()
		b := d.signedIn("vera")
		page := b.get("/reports/rows?figure=inquiries").document(t)
		address := page.Find("a[download]").First().AttrOr("href", "")
		exported := b.get(address)
		require.Equal(t, "2", exported.header.Get("Console-Rows"))
		table, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(exported.body, "\ufeff"))).ReadAll()
		require.NoError(t, err)
		require.Len(t, table, 3)
		require.Contains(t, table[1][4]+table[2][4], "Anna")
		require.Len(t, b.get(address+"&format=xlsx").workbook(t), 3)
		require.Len(t, b.get("/reports/rows/export?figure=visits&format=xlsx").workbook(t), 7)
		require.Contains(t, b.get("/history").body, "what is behind a figure, as a table")
		require.Equal(t, http.StatusNotFound, b.get("/reports/rows/export?figure=weather").status)
	})
}

func TestOverview(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		require.Contains(t, b.get("/overview").body, "Nothing is waiting for you.")
		d.visited()
		page := b.get("/overview").document(t)
		require.Greater(t, b.opened(page), 10)
		require.Equal(t, "news", page.Find(".bests section").First().Find("tbody th").First().Text())
		require.Contains(t, page.Find(".attention").Text(), "2 leads wait")
		require.Contains(t, b.get("/overview?span=fortnight").body, "Choose the first and the last day")
	})
}
