package system

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
	"github.com/seed-3405227d/frontdesk/edge/post"
)

// Each form that a rule matches, and in which something is filled in, is a lead or among the refused leads. The counters
// say the same as the tables.
func TestEachFormIsKept(t *testing.T) {
	s, m, desk := capturing(t)
	const address = "http://localhost:$PORT"
	outcomes := func() map[post.FormOutcome]int {
		counted := make(map[post.FormOutcome]int)
		for _, outcome := range post.FormOutcomes {
			counted[outcome] = int(s.Metric(`frontdesk_forms_total{outcome="` + string(outcome) + `"}`))
		}
		return counted
	}
	before := outcomes()
	send := func(path, contentType, body string, headers ...string) {
		t.Helper()
		got, err := s.Do(http.MethodPost, address+path, body, append(headers, "Content-Type", contentType, "User-Agent", browser)...)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, got.StatusCode)
		require.Equal(t, body, string(m.received))
	}
	var cookie string
	require.Eventually(t, func() bool {
		page := s.Get(address+"/", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "User-Agent", browser)
		if page.Header.Get("Set-Cookie") == "" {
			return false
		}
		cookie = servertest.CookieOf(t, page.Header.Values("Set-Cookie"))
		return true
	}, wait, tick)

	visitors := func() int {
		n, _, err := db.One(t.Context(), desk.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM visitors`)
		require.NoError(t, err)
		return n
	}
	strangers := visitors()

	// Of strangers: whoever says how to reach him is a lead.
	send("/send/200", formType, "name=Иван&telegram=@ivan")
	send("/send/200", formType, "contacts=%2B7 921 123-45-67 Иван")
	send("/send/200", formType, "nama=Budi&no_hp=%2B62 812-3456-7890")
	send("/send/200", formType, "who=Dora&phone=4915112345678")
	leads := keptLeads(t, desk, 4)
	require.Equal(t, []string{"4915112345678", "6281234567890", "79211234567", "@ivan"}, []string{leads[0].Phone, leads[1].PhoneDigits, leads[2].PhoneDigits, leads[3].UserFields["Telegram"]})
	require.Empty(t, leads[1].Marks)
	found, err := desk.Inbox.List(t.Context(), inbox.Filter{Sites: scope.All(), Search: "ivan"}, lead.Cursor{}, 10)
	require.NoError(t, err)
	require.Len(t, found.Leads, 1)

	// Of somebody whose visit is known: whatever is filled in.
	send("/send/200", formType, "day=24.12.&guests=4", "Cookie", cookie)
	l := keptLeads(t, desk, 5)[0]
	require.Equal(t, map[string]string{"day": "24.12.", "guests": "4"}, l.UserFields)
	require.NotZero(t, l.Visitor)
	send("/mapped", formType, "who=Ann&city=Kazan", "Cookie", cookie)
	require.Equal(t, "Ann", keptLeads(t, desk, 6)[0].Name)

	// Of strangers who do not say so, among the refused, where one is made a lead.
	send("/send/200", formType, "name=Ann&guests=4")
	send("/mapped", formType, "who=Ann&city=Oslo")
	send("/join", formType, "city=Oslo", "Cookie", cookie)
	var refusals []refused.Refusal
	require.Eventually(t, func() bool {
		refusals, err = desk.Refused.List(t.Context(), scope.All(), lead.Cursor{}, 10)
		return err == nil && len(refusals) == 3
	}, wait, tick)
	for _, r := range refusals {
		require.Equal(t, "form_nobody", r.Code)
	}
	require.Contains(t, string(refusals[2].Sent), `"guests":"4"`)
	made, err := desk.Refused.TakeOver(t.Context(), refusals[2].SiteID, refusals[2].ID)
	require.NoError(t, err)
	require.Equal(t, []string{"Ann", "4"}, []string{made.Name, made.UserFields["guests"]})

	for _, empty := range []string{"name=&phone=", "action=load_more&page=2", "login=anna&password=secret", "_wpnonce=1"} {
		send("/send/200", formType, empty, "Cookie", cookie)
	}
	require.Equal(t, strangers+4, visitors(), "who says nothing of himself is no visitor")
	became := outcomes()
	for outcome, n := range before {
		became[outcome] -= n
	}
	require.Equal(t, 9, became[post.FormStored]+became[post.FormRefused]+became[post.FormWaits])
	require.Equal(t, 4, became[post.FormEmpty])
	if became[post.FormWaits] == 0 { // the machine is not busy
		require.Equal(t, 3, became[post.FormRefused])
	}
	require.Len(t, leadsOf(t, desk), 7)
}
