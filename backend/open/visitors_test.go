package open_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/open/visitors"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// arrives has a new visitor look at a page of the site.
func (o *office) arrives(of site.Site, n int, path string) visit.View {
	o.Helper()
	o.clock.Pass(time.Second)
	view, err := o.visits.Arrive(o.Context(), of.ID, 0, visit.Arrival{Nonce: fmt.Sprintf("arrival-of-number-%06d", n), URL: "https://lamps.example/" + path, Title: "Lamps", Kind: "load", UserAgent: visittest.Chrome})
	require.NoError(o, err)
	return view
}

// A program reads all visits of a site in pages, each once, and those of no other site.
func TestVisits(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.Of(o.lamps.ID), token.ReadVisitors)
		begun := o.clock.Now()
		var made []string
		for n := range 5 {
			made = append(made, fmt.Sprint(o.arrives(o.lamps, n, "?utm_source=news").Visit))
		}
		theirs := o.arrives(o.chairs, 9, "")
		list := func(query string) (ids []string) {
			for cursor := ""; ; {
				var page struct {
					Visits []visitors.VisitSummary
					Next   string
				}
				o.get("/api/v1/sites/lamps.example/visits?limit=2"+query+"&cursor="+url.QueryEscape(cursor), secret, &page)
				for _, v := range page.Visits {
					require.Equal(t, "news", v.Source.Source)
					ids = append(ids, v.VisitID)
				}
				if page.Next == "" {
					return ids
				}
				cursor = page.Next
			}
		}
		require.Equal(t, []string{made[4], made[3], made[2], made[1], made[0]}, list(""))
		at := func(seconds int) string {
			return url.QueryEscape(begun.Add(time.Duration(seconds) * time.Second).UTC().Format(time.RFC3339Nano))
		}
		require.Equal(t, []string{made[2], made[1]}, list("&since="+at(2)+"&until="+at(4)))
		o.refuses(404, "/api/v1/sites/chairs.example/visits", secret, "no site")
		o.refuses(404, fmt.Sprintf("/api/v1/sites/lamps.example/visitors/%d", theirs.Visitor), secret, "not known")
		var here struct{ Visitors []visitors.VisitorHere }
		o.get("/api/v1/visitors/here", secret, &here)
		require.Len(t, here.Visitors, 5)
		require.Equal(t, "https://lamps.example/?utm_source=news", here.Visitors[0].URL)
		o.clock.Pass(time.Hour)
		o.get("/api/v1/visitors/here", secret, &here)
		require.Empty(t, here.Visitors)
	})
}

// What is told of a visitor is bounded, whatever the visitor has done.
func TestVisitorIsBounded(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.All(), token.WriteVisitors)
		view := o.arrives(o.lamps, 0, "")
		for range 4 {
			o.clock.Pass(time.Hour)
			again, err := o.visits.Arrive(t.Context(), o.lamps.ID, view.Visitor, visit.Arrival{Nonce: fmt.Sprintf("arrival-again-at-%d", o.clock.Now().Unix()), URL: "https://lamps.example/", Kind: "load", UserAgent: visittest.Chrome})
			require.NoError(t, err)
			for n := range 80 {
				require.NoError(t, o.visits.TrackEvent(t.Context(), o.lamps.ID, again.Ref, fmt.Sprintf("call-%d-of-this-view", n), visit.UserEvent{Category: strings.Repeat("<", 1000), Action: strings.Repeat("\"", 1000), Value: "1"}))
			}
		}
		path := fmt.Sprintf("/api/v1/sites/lamps.example/visitors/%d", view.Visitor)
		response, body := o.call("GET", path, secret, "")
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Less(t, len(body), 2<<20)
		var told visitors.Visitor
		require.NoError(t, json.Unmarshal(body, &told))
		require.Len(t, told.Visits, 5)
		require.Len(t, told.Visits[0].Events, 80)
		require.False(t, told.Visits[0].IsCut)
		require.True(t, told.Visits[4].IsCut)

		correct := func(asked string) (told visitors.Visitor) {
			response, body := o.call("PUT", path+"/contacts", secret, asked)
			require.Equal(t, http.StatusOK, response.StatusCode, string(body))
			require.NoError(t, json.Unmarshal(body, &told))
			return told
		}
		correct(`{"name":{"is":"Olga"},"phone":{"is":"8 912 345-67-89"},"email":{"is":"Olga@Mail.example"}}`)
		told = correct(`{"phone":{"was":"79123456789","is":"8 912 345-67-80"}}`)
		require.Equal(t, "Olga 79123456780 Olga@mail.example", told.Name+" "+told.Phones[0].Value+" "+told.Emails[0].Value)
		require.Len(t, told.Phones, 1)
		require.Empty(t, correct(`{"name":{"was":"Olga"}}`).Name)
	})
}

// An operator writes first to who is there, and once.
func TestWriteFirst(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		anna := operatortest.Account(t, o.Operators, "anna", operator.Agent, scope.Of(o.lamps.ID))
		secret := o.token(scope.All(), token.WriteChats)
		path := fmt.Sprintf("/api/v1/sites/lamps.example/visitors/%d/chat", o.arrives(o.lamps, 0, "").Visitor)
		asked := fmt.Sprintf(`{"operator_id":%d,"text":"May I help?"}`, anna.ID)
		response, body := o.call("POST", path, secret, asked)
		require.Equal(t, http.StatusCreated, response.StatusCode, string(body))
		o.refusesTo(409, "POST", path, secret, asked, "has not answered")
		theirs := o.arrives(o.chairs, 1, "")
		o.refusesTo(422, "POST", fmt.Sprintf("/api/v1/sites/chairs.example/visitors/%d/chat", theirs.Visitor), secret, asked, "body.operator_id")
		o.refusesTo(404, "POST", fmt.Sprintf("/api/v1/sites/lamps.example/visitors/%d/chat", theirs.Visitor), secret, asked, "not known")
		o.clock.Pass(time.Hour)
		o.refusesTo(409, "POST", path, secret, asked, "not on the site")
	})
}

// What is handed out of a person is what is at the token's sites, and who has done so stands in the history.
func TestExportPerson(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.lead(o.lamps, "Is the lamp there?")
		o.lead(o.chairs, "Is the chair there?")
		secret := o.token(scope.Of(o.lamps.ID), token.ReadPersons, token.ReadHistory)
		journaltest.Entries(t, o.db) // what the file shows of it
		response, body := o.call("POST", "/api/v1/persons/export", secret, `{"emails":["anna@mail.example"]}`, "Idempotency-Key", "ignored")
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Regexp(t, `^attachment; filename=person-\d{4}-\d\d-\d\d.json$`, response.Header.Get("Content-Disposition"))
		var file struct {
			Person string
			Tables map[string][]map[string]any
		}
		require.NoError(t, json.Unmarshal(body, &file))
		require.Len(t, file.Tables["leads"], 1)
		require.Contains(t, string(body), "Is the lamp there?")
		require.NotContains(t, string(body), "Is the chair there?")
		_, history := o.call("GET", "/api/v1/history", secret, "")
		require.Contains(t, string(history), operator.Exported)
		require.NotContains(t, string(history), "anna@mail.example")
	})
}
