package system

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// namings are texts that name Ada, and others texts that are like them and do not.
var (
	namings = []string{
		"my sister: 8 (495) 111-22-33", "<a href='tel:84951112233'>8&nbsp;(495) <b>111-22-33</b></a>", "write to ADA@EXAMPLE.COM.", "Ada<ada@example.com>",
	}
	others = []string{"nada@example.com", "+380 495 111-22-33", "ada at example.com"}
)

// addressNaming is an address of the shop whose query has the text.
func addressNaming(s *server, text string) string {
	return s.Text("http://localhost:$PORT/") + "?" + url.Values{"q": {text}, "utm_campaign": {text}}.Encode()
}

// tell has a new visitor write the text wherever visitors write.
func tell(t *testing.T, s *server, desk *backend.Desk, n int, text string) (visitor visit.ID) {
	t.Helper()
	ctx := t.Context()
	s.Client.Jar = nil
	call := func(route string, content map[string]any) map[string]any {
		status, body := s.call(route, content)
		require.Equal(t, http.StatusOK, status, "%s: %v", route, body)
		return body
	}
	id := func(what string) string { return fmt.Sprintf("%s-%017d", what, n) }
	view := func(i int) map[string]any {
		return map[string]any{"site_key": "shop", "view": fmt.Sprintf("view-%d-%020d", i, n), "url": addressNaming(s, text), "title": text, "referrer": "https://mail.example/?q=" + url.QueryEscape(text), "kind": "load"}
	}
	credentials := call("hit", view(0))
	visitor = visit.ID(credentials["visitor_id"].(float64))
	ref := visit.Ref{Visitor: visitor, Visit: visit.ID(credentials["session_id"].(float64)), View: visit.ID(credentials["hit_id"].(float64))}
	require.NoError(t, desk.Visits.AddInfo(ctx, 1, ref, visit.Info{Name: text}))
	require.NoError(t, desk.Visits.SetProperty(ctx, 1, ref, "of "+text, &text))
	require.NoError(t, desk.Visits.TrackEvent(ctx, 1, ref, id("evnt"), visit.UserEvent{Category: "form", Action: "typed", Name: "q", Value: text}))
	// What comes late in a long message, behind many numbers, is in no index.
	long := strings.Repeat("8 800 555-35-35 or so. ", 600) + text
	for i, sent := range []submission.Submission{
		{Message: text}, {Message: long}, {Name: "Boris", UserFields: map[string]string{"note \"x\"": "a\n" + text}}, {Name: "Boris", FormName: text}, {Name: "Boris", URL: addressNaming(s, text)},
	} {
		sent.SiteID, sent.Origin, sent.CallID = 1, lead.Server, fmt.Sprint(id("lead"), i)
		_, _, err := desk.Leads.Add(ctx, sent)
		require.NoError(t, err)
	}
	desk.Refused.AddSoon(refused.Refusal{SiteID: 1, Origin: lead.Server, Address: fmt.Sprint("192.0.2.", n), Code: "x", Sent: refused.FormSent(url.Values{"q": {text}})})
	require.NoError(t, desk.Refused.Write(ctx))
	talk, _, err := desk.Chats.SayFrom(ctx, chat.From{SiteID: 1, Ref: ref, URL: addressNaming(s, text)}, chat.Message{Text: "Hello"})
	require.NoError(t, err)
	_, err = desk.Chats.Say(ctx, 1, talk.ID, chat.Message{Author: chat.Visitor, Text: text})
	require.NoError(t, err)
	_, err = desk.Chats.Say(ctx, 1, talk.ID, chat.Message{Author: chat.Note, OperatorID: 1, File: &file.File{Name: text, Content: []byte("file")}})
	require.NoError(t, err)
	service, err := forward.ParseService("http://127.0.0.1:9/", "")
	require.NoError(t, err)
	require.NoError(t, desk.Forwards.Add(ctx, 1, forward.Item{Service: service, Call: &forward.Call{Method: "POST", Path: "vc/s/?" + url.Values{"q": {text}}.Encode()}}))
	return visitor
}

// TestNamesInTextsAreErased erases somebody whom others have named in their texts: nothing names the person any more, and
// all else of the others is there.
func TestNamesInTextsAreErased(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *server, desk *backend.Desk, all func() string) {
		ctx := t.Context()
		for i, text := range append(namings, others...) {
			tell(t, s, desk, i, text)
		}
		rows := func(table string) (n int) {
			n, _, err := db.One(ctx, desk.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM `+table)
			require.NoError(t, err)
			return n
		}
		tables := []string{"visitors", "visits", "views", "user_events", "properties", "leads", "refused_leads", "conversations", "messages", "chat_files", "jobs"}
		before := make(map[string]int)
		for _, table := range tables {
			before[table] = rows(table)
		}
		sought := person.Sought{Sites: scope.All()}
		require.NoError(t, sought.Read("8 495 111 22 33, ada@Example.com"))
		known, err := desk.Persons.Look(ctx, "chief", sought)
		require.NoError(t, err)
		require.False(t, known.Partial)
		named := make(map[string]int)
		for _, r := range known.Named {
			named[r.Table] = int(r.Rows)
		}
		n := len(namings)
		for table, each := range map[string]int{"visitors": 1, "visits": 1, "views": 1, "user_events": 1, "properties": 1, "leads": 5, "refused_leads": 1, "conversations": 1, "messages": 1, "jobs": 1} {
			require.Equal(t, each*n, named[table], table)
		}
		require.Equal(t, n-1, named["chat_files"], "of a name with a slash, what stands before is not kept")
		require.Len(t, known.Leads, 5*n)
		require.Len(t, known.Conversations, n)
		require.Empty(t, known.Visitors, "they are others")
		var exported strings.Builder
		require.NoError(t, desk.Persons.Export(ctx, "chief", sought, &exported, nil))
		require.Equal(t, int(known.Total()), strings.Count(exported.String(), "\n{"))

		id, err := desk.Persons.Erase(ctx, "chief", sought)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			e, err := desk.Persons.Erasure(ctx, id)
			require.NoError(t, err)
			return !e.EndedAt.IsZero()
		}, wait, tick)
		ended, err := desk.Persons.Erasure(ctx, id)
		require.NoError(t, err)
		require.Equal(t, known.Total(), ended.Rows)
		for _, table := range tables {
			left := before[table]
			switch table {
			case "leads":
				left -= 5 * n
			case "refused_leads", "user_events", "properties", "jobs":
				left -= n
			}
			require.Equal(t, left, rows(table), table)
		}
		require.NoError(t, desk.DB.Scrub(ctx))
		after := all()
		for _, text := range append(namings, "ADA@", "<ada@", "74951112233", "84951112233", "111-22-33<") {
			require.False(t, strings.Contains(after, text) || strings.Contains(after, url.QueryEscape(text)), text)
		}
		for _, text := range others {
			require.Contains(t, after, text, text)
		}
		again, err := desk.Persons.Look(ctx, "chief", sought)
		require.NoError(t, err)
		require.Zero(t, again.Total())
	})
}
