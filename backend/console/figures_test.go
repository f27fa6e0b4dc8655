package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/demo"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// lampShop is a desk of the demo's shop for lamps on the 24th of November, after a year of about so many visits, with what the demo
// has not: callbacks, events, spam, an erased person, inquiries of several operators, and calls of nobody knows whom.
func lampShop(t *testing.T, visits int) *desk {
	t.Helper()
	plan := demo.Year(time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC))
	plan.Visits = visits
	database := dbtest.Open(t, dbtest.SQLite(t))
	require.NoError(t, demo.Fill(t.Context(), database, plan, func(time.Time, int64) {}))
	d := newDesk(t, database)
	d.held.Store(new(plan.Last.Add(10 * time.Hour)))
	require.NoError(t, d.Operators.Add(t.Context(), "vera", password, operator.Admin))
	var err error
	d.shop, err = d.Sites.ByKey(t.Context(), demo.Site)
	require.NoError(t, err)
	d.busy()
	d.pass(time.Hour)
	require.NoError(t, d.keeper.Keep(t.Context()))
	return d
}

// busy is a morning in the shop.
func (d *desk) busy() {
	d.t.Helper()
	ctx, olga := d.t.Context(), d.agent("olga")
	d.hasPlatform()
	from := func(query string) visit.View { return d.hit(visit.Arrival{URL: "https://shop.example/lamps" + query}) }
	for i := range 3 {
		h := from("?utm_source=newsletter&utm_medium=email&utm_campaign=november")
		sold := d.lead(h, map[string]any{"name": fmt.Sprint("Buyer ", i), "phone": fmt.Sprint("8 912 000-10-0", i), "is_sale": true, "sale_cost": "1500.5"})
		by := lead.By{ID: olga.ID, Login: olga.Login}
		require.NoError(d.t, d.Leads.Give(ctx, by, sold.Key(), lead.By{}, by))
		require.NoError(d.t, d.Visits.TrackEvent(ctx, d.shop.ID, h.Ref, fmt.Sprint(i), visit.UserEvent{Category: "cart", Action: "add", Value: "7.5"}))
		d.pass(time.Minute)
	}
	spam := d.lead(from(""), map[string]any{"name": "Cheap links", "email": "links@mail.example"})
	require.NoError(d.t, d.Leads.SetState(ctx, lead.By{}, spam.Key(), lead.Spam))
	_, banned := d.asks("Cheap links!")
	require.NoError(d.t, d.Chats.Ban(ctx, d.shop.ID, banned.ID, olga.ID, true))
	_, talk := d.asks("Do you have chandeliers?")
	_, err := d.Chats.Say(ctx, d.shop.ID, talk.ID, chat.Message{Author: chat.Operator, OperatorID: olga.ID, Text: "We do."})
	require.NoError(d.t, err)
	d.callBack("+7 912 000-20-01", callback.Asked{})
	missed := d.rings("stranger", "79120003001", telephony.Missed, "")
	key, err := d.Subjects.Calls.MakeLead(ctx, d.shop.ID, missed)
	require.NoError(d.t, err)
	require.NoError(d.t, d.Leads.SetSale(ctx, lead.By{}, key, true, "99"))
	d.rings("withheld", "", telephony.Answered, "")
	d.hit(visit.Arrival{URL: "https://shop.example/?utm_source=letter", Unscripted: true})
	erased := d.lead(from("?utm_source=catalogue&utm_medium=qr"), map[string]any{"name": "Erased", "phone": "8 912 000-40-01"})
	require.NotZero(d.t, erased.ID)
	d.pass(time.Minute)
	require.NoError(d.t, d.keeper.Keep(ctx))
	require.Equal(d.t, http.StatusSeeOther, d.signedIn("vera").post("/person/erasure", "who", "+7 912 000-40-01").status)
	require.NoError(d.t, d.Persons.EraseAsked(ctx))
}

// clicker clicks figures, each address once.
type clicker struct {
	*browser
	clicked map[string]int // how many figures, by their names
	seen    map[string]bool
	opened  map[string]bool // kinds of rows, of which one was opened
}

func (b *browser) clicker() *clicker {
	return &clicker{b, make(map[string]int), make(map[string]bool), make(map[string]bool)}
}

// noRows are the figures without rows: nobody is behind a cost, and a rate is made of two others.
var noRows = map[string]bool{"rate": true, "cost": true, "visit_cost": true, "inquiry_cost": true, "call_cost": true, "person_cost": true, "sale_cost": true, "return": true}

// clicks clicks every figure of the page, and holds it to what it opens.
func (c *clicker) clicks(page *goquery.Document) {
	c.t.Helper()
	for _, place := range []string{".tiles dd", ".report:not(.paths) tbody td", ".bests td"} {
		page.Find(place).Each(func(_ int, cell *goquery.Selection) {
			require.True(c.t, cell.Text() == "" || cell.Find("[data-figure]").Length() == 1, "%s: %s", place, cell.Text())
		})
	}
	page.Find("main [data-figure]").Each(func(_ int, figure *goquery.Selection) {
		name, address := figure.AttrOr("data-figure", ""), figure.AttrOr("href", "")
		switch {
		case noRows[name], address != "" && c.seen[once(c.t, address)]:
			return
		case address == "":
			require.Equal(c.t, 0.0, written(c.t, figure.Text()), "%s has %s and leads nowhere", name, figure.Text())
			return
		}
		c.seen[once(c.t, address)] = true
		require.InDelta(c.t, written(c.t, figure.Text()), c.behind(address), 0.0501, "%s at %s", name, address)
		c.clicked[name]++
	})
}

// once is the address without what a report is divided by, if it is not of a row: the total and its parts are the same.
func once(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	query := u.Query()
	if query.Has("v") || query.Has("path") {
		return address
	}
	query.Del("by")
	query.Del("and")
	return query.Encode()
}

// written is the number that a page shows.
func written(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(strings.Trim(strings.ReplaceAll(text, ",", ""), "$€ \u00a0"), 64)
	require.NoError(t, err, text)
	return n
}

// behind adds up the rows at the address, on all pages.
func (c *clicker) behind(address string) (sum float64) {
	c.t.Helper()
	said, rows := -1, 0
	for address != "" {
		page := c.get(address).document(c.t)
		if said < 0 {
			_, err := fmt.Sscan(strings.ReplaceAll(page.Find(".lead-in").Text(), ",", ""), &said)
			require.NoError(c.t, err)
		}
		page.Find(".behind > li").Each(func(_ int, row *goquery.Selection) {
			rows++
			adds := 1.0
			if told := row.Find("[data-adds], [data-share]").First(); told.Length() > 0 {
				var err error
				adds, err = strconv.ParseFloat(told.AttrOr("data-adds", told.AttrOr("data-share", "")), 64)
				require.NoError(c.t, err)
			}
			sum += adds
			if kind := strings.Fields(row.Find(".now").Text())[0]; !c.opened[kind] && row.Find(".row-link").Length() == 1 {
				c.opened[kind] = true
				require.Equal(c.t, http.StatusOK, c.get(row.Find(".row-link").AttrOr("href", "")).status, kind)
			}
		})
		address = page.Find(".paged a").FilterFunction(func(_ int, a *goquery.Selection) bool { return a.Text() == "Next page" }).AttrOr("href", "")
	}
	require.Equal(c.t, said, rows, "as many rows as are said")
	return sum
}

// options are the values of the select.
func options(page *goquery.Document, id string) []string {
	return page.Find("select#" + id + " option").Map(func(_ int, o *goquery.Selection) string { return o.AttrOr("value", "") })
}

// Every figure of the overview and of all reports opens what is counted in it, and as much as it says.
func TestEveryFigureOpensItsRows(t *testing.T) {
	d := lampShop(t, 1000)
	c := d.signedIn("vera").clicker()
	look := func(address string) *goquery.Document {
		page := c.get(address).document(t)
		c.clicks(page)
		return page
	}
	overview := look("/overview")
	overview.Find(".tiles dt a").Each(func(_ int, a *goquery.Selection) { look(a.AttrOr("href", "")) })
	look("/overview?span=today")
	look("/overview?span=last_month")
	waiting := overview.Find(".attention a[href^='/reports/rows']")
	require.Equal(t, 1, waiting.Length())
	require.Equal(t, strings.Fields(waiting.Text())[0], fmt.Sprint(c.behind(waiting.AttrOr("href", ""))))
	report := c.get("/reports").document(t)
	for _, by := range options(report, "by") {
		look("/reports?span=7&by=" + by)
	}
	for _, query := range []string{"by=source&and=kind", "by=campaign&and=landing", "by=number&and=operator", "by=event&and=source",
		"by=hour&and=weekday&figure=missed", "by=weekday&and=hour&figure=inquiries", "by=channel&f.source=newsletter", "by=channel&step=week&figure=persons",
		"by=source&model=linear&window=90&figure=inquiries", "by=campaign&model=position&window=90"} {
		look("/reports?" + query)
	}
	look("/reports/paths?span=90")
	look("/reports/paths?goal=inquiries&by=source&span=90")
	all := 0
	for _, n := range c.clicked {
		all += n
	}
	require.Greater(t, all, 500)
	for name := range strings.FieldsSeq("visits visitors new views inquiries persons calls requests chats callbacks missed unanswered sales revenue spam bots events value scriptless") {
		require.Positive(t, c.clicked[name], "no figure of %s was clicked", name)
	}
	require.Len(t, c.opened, 6, "visits, events and all kinds of inquiries: %v", c.opened)
}
