package system

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
	"github.com/seed-3405227d/frontdesk/edge/post"
)

// What a program seems to have sent is a lead like others, and marked.
func TestFormsOfPrograms(t *testing.T) {
	s, _, desk := capturing(t)
	const address = "http://localhost:$PORT"
	asked := 0
	post := func(fields string, headers ...string) lead.Lead {
		t.Helper()
		asked++
		body := fmt.Sprintf("email=a%d@example.com&%s", asked, fields)
		_, err := s.Do(http.MethodPost, address+"/send/200", body, append(headers, "Content-Type", formType)...)
		require.NoError(t, err)
		l := keptLeads(t, desk, asked)[0]
		require.Equal(t, fmt.Sprintf("a%d@example.com", asked), l.Email)
		return l
	}
	require.Empty(t, post("message=Hello", "User-Agent", browser).Marks)
	l := post("message=Hello&_gotcha=1", "User-Agent", browser)
	require.Equal(t, []string{lead.Trap}, l.Marks)
	require.True(t, l.Spam())
	require.Equal(t, []string{lead.Bot}, post("message=Hello", "User-Agent", "python-requests/2.32").Marks)

	// Of a visitor, what a program says is not believed.
	_, err := s.Do(http.MethodPost, address+"/join", "email=program@example.com&_gotcha=1", "Content-Type", formType, "User-Agent", browser)
	require.NoError(t, err)
	_, found, err := db.One(t.Context(), desk.DB.Read(), db.Only[string], `SELECT value FROM contacts WHERE value = 'program@example.com'`)
	require.NoError(t, err)
	require.False(t, found)

	// Within a second of its page, and later.
	var cookie string
	require.Eventually(t, func() bool {
		page := s.Get(address+"/", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "User-Agent", browser)
		if page.Header.Get("Set-Cookie") == "" {
			return false
		}
		cookie = servertest.CookieOf(t, page.Header.Values("Set-Cookie"))
		l = post("message=Hello", "User-Agent", browser, "Cookie", cookie)
		return slices.Equal([]string{lead.Quick}, l.Marks)
	}, wait, tick)
	require.False(t, l.Spam(), "people who are quick are people")
	require.NoError(t, desk.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE views SET at = at - 2000`)
		return err
	}))
	require.Empty(t, post("message=Hello", "User-Agent", browser, "Cookie", cookie).Marks)

	// The third who says the same.
	const text = "message=We+sell+the+best+links+for+your+shop"
	require.Empty(t, post(text, "User-Agent", browser).Marks)
	require.Empty(t, post(text, "User-Agent", browser).Marks)
	require.Equal(t, []string{lead.Repeated}, post(strings.Replace(text, "We+sell", "we++SELL", 1), "User-Agent", browser).Marks)
}

// Forms that nobody keeps are found, and one is kept by the site's own settings, above the configuration's. What people
// have written is nowhere.
func TestFormsAreFound(t *testing.T) {
	s, m, desk := capturing(t)
	post := func(path, body string) {
		t.Helper()
		_, err := s.Do(http.MethodPost, "http://localhost:$PORT"+path, body, "Content-Type", formType, "User-Agent", browser)
		require.NoError(t, err)
		require.Equal(t, body, string(m.received))
	}
	listed := func() map[string]form.Form {
		t.Helper()
		require.NoError(t, desk.Forms.Store(t.Context()))
		forms, err := desk.Forms.List(t.Context(), scope.All())
		require.NoError(t, err)
		listed := make(map[string]form.Form)
		for _, f := range forms {
			listed[f.Path] = f
		}
		return listed
	}
	const body = "email=secret@example.com&message=SecretMessage&password=SecretWord"
	for range 3 {
		post("/lamps/17/question", body)
	}
	post("/search", "q=SecretMessage")
	post("/nowhere/404", "a=b") // which is no form of anybody
	post("/send/500", body)
	var found map[string]form.Form
	require.Eventually(t, func() bool { // they are read after the answers
		found = listed()
		return len(found) == 2 && found["/lamps/*/question"].Times == 3
	}, wait, tick)
	question := found["/lamps/*/question"]
	require.Equal(t, []string{"email", "message", "password"}, question.Fields)
	require.Equal(t, 3, question.Times)
	require.Equal(t, 1, found["/send/*"].Errors)
	keptLeads(t, desk, 1)
	for _, table := range []string{"forms", "form_answers", "journal"} {
		rows, err := db.List(t.Context(), desk.DB.Read(), db.Only[string], `SELECT group_concat(`+map[string]string{"forms": "path || fields", "form_answers": "path", "journal": "kind || data"}[table]+`) FROM `+table)
		require.NoError(t, err)
		require.NotEmpty(t, rows)
		require.NotContains(t, strings.ToLower(strings.Join(rows, "")), "secret")
	}
	told := slices.DeleteFunc(journaltest.Entries(t, desk.DB), func(e journal.Entry) bool { return e.Kind != incident.Begun })
	require.Len(t, told, 1)
	require.Contains(t, string(told[0].Data), `{"kind":"form","about":"/send/*","name":"/send/*","status":500,`)

	// By a click.
	shop, err := desk.Sites.ByKey(t.Context(), "shop")
	require.NoError(t, err)
	_, err = desk.Sites.Change(t.Context(), "shop", shop.Version, site.Settings{Captures: []capture.Rule{{Path: "/lamps/*/question"}, {Path: "/send/*", FormName: "Mine"}}}, "vera")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		post("/lamps/18/question", "email=anna@example.com&message=Hello")
		return len(leadsOf(t, desk)) == 2
	}, wait, tick)
	post("/send/200", "email=bob@example.com&message=Hello")
	require.Equal(t, "Mine", keptLeads(t, desk, 3)[0].FormName)
	_, err = desk.Sites.Change(t.Context(), "shop", shop.Version+1, site.Settings{Captures: []capture.Rule{{Path: "/send/*", Kind: "sale"}}}, "vera")
	var invalid *site.Invalid
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "captures", invalid.Setting)
}

// Forms that nobody keeps are read within bounds, for each client, and not when the client has gone. The site gets all of
// them.
func TestFormsAreFoundWithinBounds(t *testing.T) {
	s, m, desk := capturing(t)
	outcomes := func() map[post.FoundOutcome]int {
		counted := make(map[post.FoundOutcome]int)
		for _, outcome := range post.FoundOutcomes {
			counted[outcome] = int(s.Metric(`frontdesk_forms_found_total{outcome="` + string(outcome) + `"}`))
		}
		return counted
	}
	before := outcomes()
	names := strings.Repeat("a", 100_000)
	for n := range 30 {
		body := `{"` + names + `":[` + strings.Repeat("1,", 400) + `1],"phone":"+74951234567"}`
		_, err := s.Do(http.MethodPost, fmt.Sprintf("http://localhost:$PORT/api/p%d", n), body, "Content-Type", "application/json")
		require.NoError(t, err)
		require.Equal(t, body, string(m.received))
	}
	require.Eventually(t, func() bool {
		now := outcomes()
		read, dropped := now[post.FoundRead]-before[post.FoundRead], now[post.FoundDropped]-before[post.FoundDropped]
		return read+dropped == 30 && dropped > 0
	}, wait, tick)
	require.NoError(t, desk.Forms.Store(t.Context()))
	listed, err := desk.Forms.List(t.Context(), scope.All())
	require.NoError(t, err)
	require.NotEmpty(t, listed)
	require.Equal(t, []string{"phone"}, listed[0].Fields, "names that long are nobody's")
}
