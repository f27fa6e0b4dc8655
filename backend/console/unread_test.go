package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// unread is the number beside the leads on every page.
func (b *browser) unread() string {
	b.t.Helper()
	document, err := goquery.NewDocumentFromReader(strings.NewReader(b.get("/account").body))
	require.NoError(b.t, err)
	return document.Find("#unread").AttrOr("data-count", "none")
}

func TestWhatIsUnreadIsTheOperatorsOwn(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.lead(d.hit(visit.Arrival{}), map[string]any{"message": "Before Boris came"})
		d.pass(1e9)
		_, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Sites: scope.All(), Login: "boris", Password: password, Role: operator.Agent})
		require.NoError(t, err)
		here, elsewhere, boris := d.signedIn("vera"), d.signedIn("vera"), d.signedIn("boris")
		require.Equal(t, "1", here.unread())
		require.Equal(t, "0", boris.unread(), "what came before the account is not new to it")

		h := d.hit(visit.Arrival{})
		d.lead(h, map[string]any{"message": "First"})
		second := d.lead(h, map[string]any{"message": "Second"})
		require.Equal(t, "3", here.unread())
		require.Equal(t, "3", elsewhere.unread())
		require.Equal(t, "2", boris.unread())

		// One that is opened is read, in all browsers of the operator, also in those that are open.
		s := elsewhere.follow("/account", "")
		others := boris.follow("/account", "")
		require.Equal(t, http.StatusOK, here.get(fmt.Sprintf("/leads/%d/%d", d.shop.ID, second.ID)).status)
		require.Contains(t, s.until("unread").data, `data-count="2"`)
		require.Equal(t, "2", elsewhere.unread())
		require.Equal(t, "2", boris.unread())
		list := here.get("/leads").body
		require.Equal(t, 2, strings.Count(list, ">unread<"))

		// Those who look at the list have read it.
		require.Equal(t, http.StatusNoContent, here.post("/leads/read", "site", "0").status)
		require.Contains(t, s.until("unread").data, `data-count="0"`)
		require.Equal(t, "0", elsewhere.unread())
		require.NotContains(t, elsewhere.get("/leads").body, ">unread<")
		require.Equal(t, "2", boris.unread())

		// A site is read by itself.
		other, err := d.Sites.Provision(t.Context(), "books.example")
		require.NoError(t, err)
		third := d.lead(h, map[string]any{"message": "Third"})
		require.Contains(t, others.until("Third").data, fmt.Sprintf("/leads/%d/%d", d.shop.ID, third.ID))
		require.Equal(t, http.StatusNoContent, here.post("/leads/read", "site", fmt.Sprint(other.ID)).status)
		require.Equal(t, "1", here.unread())
		require.Equal(t, http.StatusNoContent, here.post("/leads/read", "site", fmt.Sprint(d.shop.ID)).status)
		require.Equal(t, "0", here.unread())
		d.lead(h, map[string]any{"message": "Fourth"})
		require.Equal(t, "1", here.unread())
		require.Equal(t, http.StatusNotFound, here.post("/leads/read", "site", "all").status)
		require.Equal(t, http.StatusBadRequest, here.post("/leads/read", "site", "").status)
	})
}

func TestWhatIsUnreadIsOfTheOperatorsSites(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		shop := d.shop
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		boris, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Password: password, Role: operator.Agent, Sites: scope.Of(shop.ID)})
		require.NoError(t, err)
		d.pass(time.Second)
		here, elsewhere, vera := d.signedIn("boris"), d.signedIn("boris"), d.signedIn("vera")
		theirs := d.lead(d.hit(visit.Arrival{}), map[string]any{"message": "Theirs"})
		d.shop = other
		h := d.hit(visit.Arrival{URL: "https://other.example/"})
		d.lead(h, map[string]any{"message": "Of others"})
		d.shop = shop
		require.Equal(t, "1", here.unread(), "leads of others do not count")
		require.Equal(t, "2", vera.unread())

		// That all is read is heard in the operator's other browsers. What others read is not.
		s := elsewhere.follow("/account", "")
		require.Equal(t, http.StatusNoContent, vera.post("/leads/read", "site", "0").status)
		require.Equal(t, "1", here.unread())
		require.Equal(t, http.StatusNoContent, here.post("/leads/read", "site", "0").status)
		require.Contains(t, s.until("unread").data, `data-count="0"`)
		require.Equal(t, "0", elsewhere.unread())
		d.shop = other
		d.lead(h, map[string]any{"message": "Of others again"})
		d.shop = shop
		require.Equal(t, "0", here.unread())
		require.Equal(t, "1", vera.unread())

		// Nothing of it is kept for an account that is removed.
		require.NoError(t, d.Inbox.Open(t.Context(), boris.ID, lead.Key{SiteID: shop.ID, ID: theirs.ID}))
		require.NoError(t, d.Operators.Remove(t.Context(), operator.Server(), boris.ID))
		for _, table := range []string{"lead_read", "lead_opened"} {
			left, _, err := db.One(t.Context(), d.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM `+table+` WHERE operator_id = $1`, boris.ID)
			require.NoError(t, err)
			require.Zero(t, left, table)
		}
	})
}

// Spam is found where spam is, and disturbs nobody.
func TestSpamIsNotNews(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		here := d.signedIn("vera")
		s := here.follow("/leads", "")
		h := d.hit(visit.Arrival{})
		for i, marks := range [][]string{{lead.Trap}, nil} {
			_, _, err := d.Leads.Add(t.Context(), submission.Submission{SiteID: d.shop.ID, Ref: h.Ref, Origin: lead.Form, Email: fmt.Sprintf("a%d@mail.example", i), Message: "Hello", Marks: marks})
			require.NoError(t, err)
		}
		shown := s.until("leads").data
		require.Contains(t, shown, "a1@mail.example")
		require.NotContains(t, shown, "a0@mail.example")
		require.Equal(t, "1", here.unread())
		require.NotContains(t, here.get("/leads").body, "a0@mail.example")
		require.Contains(t, here.get("/leads?state=spam").body, "a0@mail.example")
	})
}

// What the overview counts of the leads that wait is what its line opens.
func TestLeadsThatWaitAreOpenedByThemselves(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		boris := d.colleague("boris", scope.All())
		d.pass(time.Second)
		here, h := d.signedIn("boris"), d.hit(visit.Arrival{})
		named := func(name string) lead.Lead {
			return d.lead(h, map[string]any{"name": name, "phone": "8 912 000-10-01", "message": "From " + name})
		}
		ann, bea, cem, dan, eva := named("Ann"), named("Bea"), named("Cem"), named("Dan"), named("Eva")
		vera := lead.By{Login: "vera"}
		require.NoError(t, d.Leads.SetState(t.Context(), vera, bea.Key(), lead.Spam))
		require.NoError(t, d.Leads.Merge(t.Context(), vera, ann.Key(), cem.ID))
		require.NoError(t, d.Inbox.Open(t.Context(), boris.ID, dan.Key()))
		line := func() *goquery.Selection { return here.get("/overview").page(t).Find(".attention a[href^='/leads']") }
		require.Equal(t, "2 leads wait", line().Text())
		address := line().AttrOr("href", "")
		_, query, _ := strings.Cut(address, "?")
		require.Equal(t, []string{"Eva", "Ann"}, here.listed(query))
		require.Equal(t, []string{"Eva"}, here.listed(query+"&q=eva"), "further filters narrow them")
		require.Empty(t, here.listed(query+"&number=79120001001"))
		require.Empty(t, here.listed(query+"&owner=me"))
		require.Equal(t, "2", here.unread(), "as the menu counts them, and to look at them does not read them")
		file := here.get("/leads/export?format=csv&" + query).body
		require.Contains(t, file, "From Eva")
		require.NotContains(t, file, "From Dan")
		require.Equal(t, http.StatusUnprocessableEntity, here.get("/leads?unread=no").status)

		require.Equal(t, http.StatusOK, here.get(fmt.Sprintf("/leads/%d/%d", d.shop.ID, eva.ID)).status)
		require.Equal(t, "1 lead waits", line().Text())
		require.Equal(t, []string{"Ann"}, here.listed(query))
		require.Equal(t, http.StatusNoContent, here.post("/leads/read", "site", "0").status)
		require.Zero(t, line().Length())
		require.Empty(t, here.listed(query))
	})
}

// More leads than a page has are all opened.
func TestManyLeadsThatWait(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.colleague("boris", scope.All())
		d.pass(time.Second)
		here, h := d.signedIn("boris"), d.hit(visit.Arrival{})
		for i := range 60 {
			d.lead(h, map[string]any{"name": fmt.Sprint("Lamp ", i)})
		}
		first := here.get("/leads?unread=yes").page(t)
		require.Equal(t, 50, first.Find(".rows .row-link").Length())
		_, older, _ := strings.Cut(first.Find(".after a").AttrOr("href", ""), "?")
		require.Len(t, here.listed(older), 10)
	})
}
