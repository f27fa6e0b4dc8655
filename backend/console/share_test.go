package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

func (d *desk) operator(login string, role operator.Role, sites scope.Sites) *browser {
	d.t.Helper()
	_, err := d.Operators.Create(d.t.Context(), operator.Server(), operator.Account{Login: login, Password: password, Role: role, Sites: sites})
	require.NoError(d.t, err)
	return d.signedIn(login)
}

func TestReportsAreSavedUnderANameAndShared(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.visited()
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		shop := fmt.Sprint(d.shop.ID)
		vera, ann := d.signedIn("vera"), d.operator("ann", operator.Analyst, scope.Of(d.shop.ID))
		eve := d.operator("eve", operator.Admin, scope.Of(other.ID))
		require.Contains(t, vera.get("/reports/saved").body, "No reports have been saved.")

		done := vera.post("/reports/saved?site="+shop+"&by=campaign&f.source=news&span=28&from=2020-01-01&to=2020-01-02", "name", " Spring ", "shared", "true")
		require.Equal(t, http.StatusSeeOther, done.status, done.body)
		kept := done.header.Get("Location")
		require.Equal(t, "/reports?by=campaign&f.source=news&site="+shop+"&span=28", kept, "the days move on")
		for _, b := range []*browser{vera, ann} {
			page := b.get("/reports").document(t)
			require.Equal(t, "Spring", page.Find(".kept-list bdi").First().Text())
			require.Equal(t, kept, page.Find(".kept-list a").First().AttrOr("href", ""))
			require.Equal(t, "spring", b.get(kept).document(t).Find(".report tbody th").Text())
		}
		require.NotContains(t, eve.get("/reports").body, "Spring")
		list, err := d.Saved.Of(t.Context(), operator.Operator{ID: 1, Sites: scope.All()})
		require.NoError(t, err)
		spring := fmt.Sprint("/reports/saved/", list[0].ID)

		// Of the same name it replaces the report, and asks for what the address says then.
		require.Equal(t, http.StatusSeeOther, vera.post("/reports/saved?site="+shop+"&by=device", "name", "Spring", "shared", "true").status)
		require.Equal(t, 1, vera.get("/reports/saved").document(t).Find(".kept-rows li").Length())
		require.Equal(t, http.StatusSeeOther, vera.post("/reports/saved?site="+shop, "name", "Sources").status)
		require.NotContains(t, ann.get("/reports/saved").body, "Sources", "that is vera's own")
		taken := vera.post(spring, "name", "Sources")
		require.Equal(t, http.StatusUnprocessableEntity, taken.status)
		require.Contains(t, taken.body, "You already have a report of this name.")

		for _, b := range []*browser{ann, eve} {
			require.Equal(t, http.StatusNotFound, b.post(spring, "name", "Mine").status, "which is another's")
			require.Equal(t, http.StatusNotFound, b.post(spring+"/removal").status)
		}
		require.Equal(t, http.StatusSeeOther, vera.post(spring, "name", "Devices").status)
		require.NotContains(t, ann.get("/reports/saved").body, "Devices", "that is shared no longer")
		require.Equal(t, http.StatusSeeOther, vera.post(spring+"/removal").status)
		require.NotContains(t, vera.get("/reports/saved").body, "Devices")

		for name, said := range map[string]string{" ": "1 to 100 characters", strings.Repeat("x", 101): "1 to 100 characters", "a\x00b": "1 to 100 characters"} {
			refused := vera.post("/reports/saved?site="+shop, "name", name)
			require.Equal(t, http.StatusUnprocessableEntity, refused.status)
			require.Contains(t, refused.body, said)
		}
		require.Equal(t, http.StatusUnprocessableEntity, vera.post("/reports/saved?f.weather=rain", "name", "Rain").status)
		boris := operator.Operator{ID: 77, Sites: scope.All()}
		for i := range saved.Max {
			require.NoError(t, d.Saved.Save(t.Context(), boris, saved.Report{Name: fmt.Sprint(i)}))
		}
		require.ErrorIs(t, d.Saved.Save(t.Context(), boris, saved.Report{Name: "one more"}), saved.ErrMany)
	})
}

// linked makes a link as the form of the report's page does, and returns its path.
func (b *browser) linked(report, days string) string {
	b.t.Helper()
	page := b.post("/reports/links?"+report, "name", "For the agency", "days", days).document(b.t)
	address, err := url.Parse(page.Find("#link").AttrOr("value", ""))
	require.NoError(b.t, err)
	require.Regexp(b.t, `^/r/\d+-[A-Z2-7]{26}$`, address.Path)
	return address.Path
}

func TestALinkShowsOneReportToWhoHasNoAccount(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.visited()
		_, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		vera, reader := d.signedIn("vera"), d.browser()
		report := fmt.Sprintf("site=%d&by=source&f.channel=other&f.channel=direct&f.channel=search", d.shop.ID)
		address := vera.linked(report, "30")

		answer := reader.get(address)
		page := answer.document(t)
		require.Equal(t, "For the agency", page.Find("h1").Text())
		require.Contains(t, page.Text(), "shop.example")
		require.Contains(t, page.Find(".report tbody").Text(), "news")
		require.Equal(t, address+"/export", page.Find("main a").AttrOr("href", ""))
		require.Equal(t, 2, page.Find("a").Length(), "nothing leads anywhere else but to the files")
		require.Zero(t, page.Find("form, nav, #stream, #lookup").Length())
		for _, hidden := range []string{"other.example", "vera", "/reports", "/leads", "Anna", "boris@"} {
			require.NotContains(t, answer.body, hidden)
		}
		for header, expected := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow", "Set-Cookie": ""} {
			require.Equal(t, expected, answer.header.Get(header), header)
		}
		file := reader.get(address + "/export")
		require.Equal(t, http.StatusOK, file.status)
		require.Contains(t, file.body, "news")
		require.NotContains(t, file.body, "Anna")
		// Whoever has the link cannot ask for anything else.
		require.Equal(t, page.Find("main").Text(), reader.get(address+"?site=0&by=operator&f.source=google&span=today").document(t).Find("main").Text())
		require.Contains(t, reader.get("/reports/rows?figure=visits").header.Get("Location"), "/sign-in")

		list := vera.get("/reports/links").document(t)
		require.Contains(t, list.Find(".kept-rows").Text(), "made by vera")
		require.Contains(t, list.Find(".kept-rows").Text(), "Opened last")
		require.NotContains(t, list.Text(), strings.TrimPrefix(address, "/r/"), "the address is shown once")
		end := list.Find(".kept-rows form").AttrOr("action", "")
		require.Equal(t, http.StatusForbidden, d.operator("boris", operator.Agent, scope.All()).post(end).status)
		require.Equal(t, http.StatusSeeOther, vera.post(end).status)
		require.Equal(t, http.StatusNotFound, vera.post(end).status, "it has ended already")
		for _, gone := range []string{address, address + "/export"} {
			over := reader.get(gone)
			require.Equal(t, http.StatusGone, over.status)
			require.Contains(t, over.body, "has ended")
			require.NotContains(t, over.body, "For the agency")
		}
		require.Equal(t, http.StatusNotFound, reader.get(address+"A").status)
		history := vera.get("/history").body
		require.Contains(t, history, "Made a link to a report")
		require.Contains(t, history, "Ended a link to a report")
	})
}

func TestALinkEndsByItself(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.visited()
		vera, reader := d.signedIn("vera"), d.browser()
		day, month := vera.linked("by=device", "1"), vera.linked("by=hour&and=weekday", "30")
		require.Equal(t, http.StatusOK, reader.get(day).status)
		require.Equal(t, 7*24, reader.get(month).document(t).Find(".heat td[class]").Length())
		before := reader.get(month).document(t).Find(".lead-in").Text()
		d.pass(24 * time.Hour)
		require.Equal(t, http.StatusGone, reader.get(day).status)
		require.NotEqual(t, before, reader.get(month).document(t).Find(".lead-in").Text(), "the last 28 days move on")
		_, _, err := d.ReportLinks.Make(t.Context(), link.Link{SiteID: d.shop.ID, Name: "old", Query: "by=weather"}, 1)
		require.NoError(t, err)
	})
}

func TestWhatNoLinkShows(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.visited()
		vera, reader := d.signedIn("vera"), d.browser()
		for report, said := range map[string]string{
			"by=operator": "names operators or groups", "by=group": "names operators or groups", "by=source&f.operator=1": "names operators or groups",
			"by=weather": "Reports know nothing by this name.",
		} {
			refused := vera.post("/reports/links?"+report, "name", "Mine", "days", "30")
			require.Equal(t, http.StatusUnprocessableEntity, refused.status, report)
			require.Contains(t, refused.body, said)
		}
		for _, days := range []string{"", "0", "366", "many"} {
			require.Contains(t, vera.post("/reports/links?by=source", "name", "Mine", "days", days).body, "1 to 365 days")
		}
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		require.Contains(t, vera.post("/reports/links?site=0&by=source", "name", "All", "days", "1").body, "Choose a site first")
		require.Equal(t, http.StatusForbidden, d.operator("ann", operator.Analyst, scope.All()).post("/reports/links?site="+fmt.Sprint(other.ID), "name", "Mine", "days", "1").status)

		// A query that an earlier release may have kept opens nothing.
		_, token, err := d.ReportLinks.Make(t.Context(), link.Link{SiteID: d.shop.ID, Name: "old", Query: "by=operator"}, 1)
		require.NoError(t, err)
		require.Equal(t, http.StatusGone, reader.get("/r/"+token).status)

		// What may be a telephone number in an address is not shown.
		d.hit(visit.Arrival{URL: "https://shop.example/thanks/89123456789?utm_term=call+7+912+345-67-89"})
		d.pass(10 * time.Minute)
		require.NoError(t, d.keeper.Keep(t.Context()))
		site := fmt.Sprint("site=", d.shop.ID)
		for _, by := range []string{"landing", "keyword"} {
			shown := reader.get(vera.linked(site+"&by="+by, "1")).document(t).Find(".report tbody").Text()
			require.NotContains(t, shown, "912")
			require.Contains(t, shown, "…")
		}
	})
}

func TestWhoTriesAddressesOfLinksHasToWait(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.visited()
		address := d.signedIn("vera").linked("by=device", "1")
		guesser, reader := d.browser(), d.browser()
		guesser.address, reader.address = "198.51.100.7:1", "203.0.113.7:1"
		status := 0
		for i := 0; i < 100 && status != http.StatusTooManyRequests; i++ {
			status = guesser.get(fmt.Sprintf("/r/%d-GUESS%d", d.shop.ID, i)).status
		}
		require.Equal(t, http.StatusTooManyRequests, status)
		require.Equal(t, http.StatusOK, reader.get(address).status)
	})
}
