package console_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// inquiries are the rows at the address, such as "Call +7 912 345-67-89", and the address behind them.
func (b *browser) inquiries(path string) (rows []string, older string) {
	b.t.Helper()
	a := b.get(path)
	require.Equal(b.t, http.StatusOK, a.status, path)
	page := a.page(b.t)
	page.Find(".inquiries .rows > li").Each(func(_ int, s *goquery.Selection) {
		rows = append(rows, s.Find(".who > .hide").Text()+" "+s.Find(".row-link").Text())
	})
	return rows, page.Find(".after a").AttrOr("href", "")
}

// rings has somebody call, and the call end so.
func (d *desk) rings(id, caller string, status telephony.Status, recording string) int64 {
	d.t.Helper()
	talked := int64(0)
	if status == telephony.Answered {
		talked = 60
	}
	d.call(telephony.Event{Call: id, Kind: telephony.Start, Called: "74951234567", Caller: caller})
	made := d.call(telephony.Event{Call: id, Kind: telephony.End, At: d.now(), Status: status, Talk: talked, Wait: 5, Recording: recording})
	return made.ID
}

// gotInTouch has six visitors get in touch with the shop, a minute apart: by forms, by calls, in the chat and by a callback. It returns
// the lead of a form, the call that became a lead, and the conversation that did.
func (d *desk) gotInTouch() (order lead.Lead, missed int64, conversation chat.Conversation) {
	d.t.Helper()
	d.hold()
	d.pass(-26 * time.Hour)
	d.declareNumbers("node", number.Declared{Digits: "74951234567"})
	order = d.lead(d.hit(visit.Arrival{URL: "https://shop.example/?utm_source=autumn"}), map[string]any{"name": "Ann", "email": "ann@mail.example", "message": "Two lamps"})
	require.NoError(d.t, d.Leads.SetSale(d.t.Context(), lead.By{}, order.Key(), true, "1500"))
	d.pass(time.Minute)
	missed = d.rings("1", "79123456789", telephony.Missed, "")
	made, err := d.Calls.MakeLead(d.t.Context(), d.shop.ID, missed)
	require.NoError(d.t, err)
	require.NoError(d.t, d.Leads.SetState(d.t.Context(), lead.By{}, made, lead.InWork))
	d.pass(time.Minute)
	d.rings("2", "79990000002", telephony.Answered, "https://pbx.example/2.mp3")
	d.pass(time.Minute)
	from, conversation := d.asks("Do you have chandeliers?")
	_, err = d.Chats.MakeLead(d.t.Context(), d.shop.ID, conversation.ID, 1)
	require.NoError(d.t, err)
	d.pass(time.Minute)
	d.hasPlatform()
	d.callBack("+7 912 000-00-03", callback.Asked{})
	d.pass(time.Minute)
	d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Boris", "phone": "8 912 000-00-04", "message": "Is it open?"})
	d.pass(25 * time.Hour) // after which a visitor who writes gets in touch anew
	d.asksAgain(from, "And sconces?")
	return order, missed, conversation
}

func TestInquiriesAreOneList(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		vera := d.signedIn("vera")
		require.Contains(t, vera.get("/inquiries").body, "Nobody has got in touch yet")
		order, _, conversation := d.gotInTouch()
		vera = d.signedIn("vera")
		all, older := vera.inquiries("/inquiries")
		visitor := strings.TrimPrefix(all[0], "Chat ")
		require.Equal(t, []string{"Chat " + visitor, "Lead Boris", "Callback +7 912 000-00-03", "Chat " + visitor, "Call +7 999 000-00-02", "Call +7 912 345-67-89", "Lead Ann"}, all,
			"what became a lead is one row with it; a conversation that begins anew is another inquiry")
		require.Empty(t, older)
		page := vera.get("/inquiries").page(t)
		links := page.Find(".inquiries .row-link").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("href", "") })
		require.Equal(t, chatPath(conversation), links[0])
		require.Equal(t, fmt.Sprintf("/leads/%d/%d", d.shop.ID, order.ID), links[6])
		row := page.Find(".inquiries .rows > li").Eq(5)
		require.Contains(t, row.Text(), "In progress")
		require.Regexp(t, `^/leads/\d+/\d+$`, row.Find(".sale a").AttrOr("href", ""), "the call leads to its lead")
		require.Contains(t, page.Find(".inquiries .rows > li").Eq(3).Find(".sale a").AttrOr("href", ""), "/leads/", "as the conversation does, of the inquiry that became it")
		require.Empty(t, page.Find(".inquiries .rows > li").Eq(0).Find(".sale a").Nodes)
		require.Contains(t, page.Find(".inquiries .rows > li").Eq(6).Text(), "Sale")

		day := d.now().Add(-26 * time.Hour).UTC().Format(time.DateOnly)
		for query, wanted := range map[string][]int{
			"kind=call":                    {4, 5},
			"kind=request":                 {1, 6},
			"kind=chat":                    {0, 3},
			"kind=callback":                {2},
			"state=work":                   {2, 5},
			"state=new":                    {0, 1, 3, 6},
			"state=spam":                   {},
			"only=sales":                   {6},
			"only=recorded":                {4},
			"only=unanswered":              {0, 3, 5},
			"source=campaign":              {6},
			"source=direct":                {0, 1, 3},
			"called=123-45":                {4, 5},
			"owner=nobody&kind=request":    {1, 6},
			"owner=me":                     {},
			"group=77":                     {},
			"since=2000-01-01":             {0, 1, 2, 3, 4, 5, 6},
			"until=2000-01-01":             {},
			"since=" + day + "&kind=chat":  {0, 3},
			"q=ann":                        {6},
			"q=chandelier":                 {0, 3},
			"q=8+(912)+345-67-89":          {5},
			"q=000-00-03":                  {2},
			"q=ann@mail.example":           {6},
			"q=lamps&kind=chat":            {},
			"q=000-00-04":                  {1},
			"q=nobody+has+said+this":       {},
			"q=two+lamps&only=sales":       {6},
			"q=79990000002&source=direct":  {},
			"q=chandelier&source=campaign": {},
		} {
			got, _ := vera.inquiries("/inquiries?" + query)
			expected := []string{}
			for _, i := range wanted {
				expected = append(expected, all[i])
			}
			require.Equal(t, expected, append([]string{}, got...), query)
		}
		for _, query := range []string{"kind=x", "state=x", "owner=x", "group=-1", "source=x", "only=x", "tag=%ff", "since=yesterday", "q=a", "called=abc", "q=" + strings.Repeat("a", 201)} {
			require.Equal(t, http.StatusUnprocessableEntity, vera.get("/inquiries?"+query).status, query)
			require.Equal(t, http.StatusUnprocessableEntity, vera.get("/inquiries/export?"+query).status, query)
		}
		require.Contains(t, vera.get("/inquiries?owner=me").body, "No matching inquiries")
	})
}

func TestInquiriesByTagOwnerAndSpam(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		order, _, conversation := d.gotInTouch()
		vera := d.signedIn("vera")
		boris := d.colleague("boris", scope.Of(d.shop.ID))
		require.NoError(t, d.Leads.SetTags(t.Context(), lead.By{}, order.Key(), []string{"wholesale"}))
		require.NoError(t, chat.SetTags(t.Context(), d.Chats, conversation.Key(), 1, []string{"wholesale"}))
		require.NoError(t, d.Leads.Give(t.Context(), lead.By{}, order.Key(), lead.By{}, lead.By{ID: boris.ID, Login: boris.Login}))
		tagged, _ := vera.inquiries("/inquiries?tag=wholesale")
		require.Len(t, tagged, 3, "the lead, and both times of the conversation")
		require.Contains(t, vera.get("/inquiries").body, `<option value="wholesale">`)
		his, _ := vera.inquiries(fmt.Sprintf("/inquiries?owner=%d", boris.ID))
		require.Equal(t, []string{"Lead Ann"}, his)
		require.NoError(t, d.Leads.SetState(t.Context(), lead.By{}, order.Key(), lead.Spam))
		all, _ := vera.inquiries("/inquiries")
		require.NotContains(t, all, "Lead Ann", "spam is not in the way")
		spam, _ := vera.inquiries("/inquiries?state=spam")
		require.Equal(t, []string{"Lead Ann"}, spam)
		found, _ := vera.inquiries("/inquiries?q=ann")
		require.Equal(t, []string{"Lead Ann"}, found, "but is found")
	})
}

// The list goes on where it was left, whatever comes in between, and each inquiry is on one page.
func TestListOfInquiriesGoesOn(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		d.pass(-time.Hour)
		d.declareNumbers("node", number.Declared{Digits: "74951234567"})
		var wanted []string
		var leads []lead.Key
		for i := range 60 { // two of different kinds in each millisecond
			name := fmt.Sprintf("Lead number %d", i)
			leads = append(leads, d.lead(d.hit(visit.Arrival{}), map[string]any{"name": name, "message": "lamps"}).Key())
			d.rings(fmt.Sprint(i), fmt.Sprintf("7999000%04d", i), telephony.Answered, "")
			wanted = append(wanted, "Lead "+name, fmt.Sprintf("Call +7 999 000-%02d-%02d", i/100, i%100))
			d.pass(time.Millisecond)
		}
		vera := d.signedIn("vera")
		for _, query := range []string{"", "q=lamps"} {
			var got []string
			for path := "/inquiries?" + query; path != ""; {
				var some []string
				some, path = vera.inquiries(path)
				require.LessOrEqual(t, len(some), 50)
				got = append(got, some...)
				d.pass(time.Millisecond)
				d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Late", "message": "lamps"})
			}
			expected := slices.Clone(wanted)
			if query != "" {
				expected = slices.DeleteFunc(expected, func(row string) bool { return strings.HasPrefix(row, "Call") })
			}
			got = slices.DeleteFunc(got, func(row string) bool { return row == "Lead Late" })
			require.ElementsMatch(t, expected, got, query)
		}
		having, err := d.Inbox.Having(t.Context(), leads, "number 57") // by which the list goes where more have it than are found at once
		require.NoError(t, err)
		require.Equal(t, map[lead.Key]bool{leads[56]: true, leads[57]: true}, having, "by its number, and by its name")
		table, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(vera.get("/inquiries/export?kind=call").body, "\ufeff"))).ReadAll()
		require.NoError(t, err)
		require.Contains(t, vera.get("/history").body, "inquiries, as a table")
		require.Len(t, table, 61)
		require.Equal(t, []string{"Call", "79990000059"}, []string{table[1][0], strings.NewReplacer("+", "", " ", "", "-", "", "'", "").Replace(table[1][5])})
	})
}

func TestInquiriesOfOtherSitesAreNotSeen(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.gotInTouch()
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		_, err = d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "olga", Password: password, Role: operator.Agent, Sites: scope.Of(other.ID)})
		require.NoError(t, err)
		olga := d.signedIn("olga")
		for _, query := range []string{"", "q=ann", "q=chandelier", "q=000-00-03", "only=sales"} {
			seen, _ := olga.inquiries("/inquiries?" + query)
			require.Empty(t, seen, query)
			require.NotContains(t, olga.get("/inquiries/export?"+query).body, "Ann")
		}
		require.Equal(t, http.StatusNotFound, olga.get(fmt.Sprintf("/inquiries?site=%d", d.shop.ID)).status)
		seen, _ := d.signedIn("vera").inquiries("/inquiries?" + url.Values{"site": {fmt.Sprint(other.ID)}}.Encode())
		require.Empty(t, seen)
	})
}

func TestInquiriesAreLive(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.declareNumbers("node", number.Declared{Digits: "74951234567"})
		vera := d.signedIn("vera")
		s := vera.follow("/inquiries", "")
		d.rings("1", "79123456789", telephony.Answered, "")
		require.Contains(t, s.until("+7 912 345-67-89").data, `hx-target="#inquiries"`)
		from, _ := d.asks("Do you have lamps?")
		require.NotContains(t, s.until("Do you have lamps?").data, "data-changed")
		ann := d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Ann"})
		s.until(`<li id="` + fmt.Sprintf("lead-%d-%d", d.shop.ID, ann.ID))
		require.NoError(t, d.Leads.SetState(t.Context(), lead.By{}, ann.Key(), lead.Done))
		require.Contains(t, s.until("data-changed").data, "lead-done")
		d.pass(2 * time.Hour)
		d.asksAgain(from, "Anybody?")
		require.Contains(t, s.until("Anybody?").data, "data-changed", "of an earlier one, a list that has it is told")
		require.NotContains(t, vera.get("/inquiries?kind=call").body, `id="inquiries"`, "what is narrowed does not grow by itself")
	})
}

// A person's card has all channels, and each leads to its own page.
func TestCardLeadsToAllChannels(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.declareNumbers("node", number.Declared{Digits: "74951234567"})
		from, conversation := d.asks("Do you have lamps?")
		require.NoError(t, d.Visits.AddInfo(t.Context(), d.shop.ID, from.Ref, visit.Info{Phone: "+7 912 345-67-89"}))
		order := d.lead(visit.View{Ref: from.Ref}, map[string]any{"name": "Ann"})
		made, err := d.Calls.MakeLead(t.Context(), d.shop.ID, d.rings("1", "79123456789", telephony.Missed, ""))
		require.NoError(t, err)
		back := d.callBack("+7 912 345-67-89", callback.Asked{Ref: from.Ref})
		card := fmt.Sprintf("/visitors/%d/%d", d.shop.ID, int64(from.Visitor))
		vera := d.signedIn("vera")
		page := vera.get(card).page(t)
		for _, to := range []string{
			chatPath(conversation), fmt.Sprintf("/leads/%d/%d", d.shop.ID, order.ID), fmt.Sprintf("/leads/%d/%d", made.SiteID, made.ID),
			fmt.Sprintf("/callbacks/%d/%d", d.shop.ID, back.ID),
		} {
			require.NotEmpty(t, page.Find(`main a[href="`+to+`"]`).Nodes, to)
			require.NotEmpty(t, vera.get(to).page(t).Find(`main a[href="`+card+`"]`).Nodes, "and back from "+to)
		}
		require.NotEmpty(t, page.Find(`.told a[href="`+fmt.Sprintf("/leads/%d/%d", made.SiteID, made.ID)+`"]`).Nodes, "the call leads to its lead")
	})
}
