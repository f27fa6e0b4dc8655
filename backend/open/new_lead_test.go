package open_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/open/inquiries"
	"github.com/seed-3405227d/frontdesk/backend/open/once"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// add adds a lead of the site.
func (o *office) add(secret, asked string, fields ...string) inquiries.WholeLead {
	o.Helper()
	response, body := o.call("POST", "/api/v1/sites/lamps.example/leads", secret, asked, fields...)
	require.Equal(o, http.StatusCreated, response.StatusCode, string(body))
	var made inquiries.WholeLead
	require.NoError(o, json.Unmarshal(body, &made))
	return made
}

func TestNewLead(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.All(), token.WriteLeads)
		at := o.clock.Now().Add(-48 * time.Hour).UTC().Truncate(time.Second)
		made := o.add(secret, `{"name":"Olga","phone":"8 912 000-11-22","user_fields":{"size":"L"},"campaign":{"source":"Leaflet","medium":"CPC","name":"Spring"},"at":"`+at.Format(time.RFC3339)+`"}`)
		require.Equal(t, lead.Program, made.Origin)
		require.Equal(t, "79120001122", made.PhoneDigits)
		require.Equal(t, at, made.At)
		require.Equal(t, "ad", made.Source.Kind)
		require.Equal(t, "leaflet", made.Source.Source)
		require.Equal(t, "Spring", made.Source.Campaign)
		var read inquiries.WholeLead
		path := fmt.Sprintf("/api/v1/sites/lamps.example/leads/%d", made.ID)
		o.get(path, secret, &read)
		require.Equal(t, made, read)
		var deeds struct{ Deeds []inquiries.Deed }
		o.get(path+"/deeds", secret, &deeds)
		require.Len(t, deeds.Deeds, 1)
		require.Equal(t, "API: A program made", deeds.Deeds[0].By+" "+deeds.Deeds[0].Kind)

		// The same without a key is one lead for ten minutes, and with a key for 30 days, of each program.
		asked := `{"name":"Pavel","message":"Two lamps"}`
		first := o.add(secret, asked)
		require.Equal(t, first.ID, o.add(secret, asked).ID)
		o.clock.Pass(11 * time.Minute)
		require.NotEqual(t, first.ID, o.add(secret, asked).ID)
		const key = "Idempotency-Key"
		kept := o.add(secret, asked, key, "order 7")
		require.Equal(t, kept, o.add(secret, asked, key, "order 7"))
		other := o.token(scope.All(), token.WriteLeads)
		theirs := o.add(other, asked, key, "order 7")
		require.NotEqual(t, kept.ID, theirs.ID)
		o.clock.Pass(once.KeepFor + time.Hour)
		require.NoError(t, o.Answers.Prune(t.Context()))
		require.Equal(t, kept.ID, o.add(secret, `{"name":"Pavel","message":"Two lamps, please"}`, key, "order 7").ID)
		require.Equal(t, theirs.ID, o.add(other, asked, key, "order 7").ID)
	})
}

// What a visitor sends by a form, and somebody types in elsewhere as well, is one lead.
func TestNewLeadOfAVisitor(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.All(), token.WriteLeads)
		view, err := o.visits.Arrive(t.Context(), o.lamps.ID, 0, visit.Arrival{Nonce: "arrival-of-the-tests", URL: "https://lamps.example/?utm_source=news", Kind: "load", UserAgent: visittest.Chrome})
		require.NoError(t, err)
		sent, _, err := o.Leads.Add(t.Context(), submission.Submission{SiteID: o.lamps.ID, Ref: view.Ref, Origin: lead.Form, Phone: "+7 912 000-11-22", Message: "A lamp", FormKey: "a", Region: "RU"})
		require.NoError(t, err)
		asked := fmt.Sprintf(`{"visitor_id":"%d","phone":"8 912 000-11-22","name":"Olga"}`, view.Visitor)
		made := o.add(secret, asked, "Idempotency-Key", "order 1")
		require.Equal(t, sent.ID, made.ID)
		require.Equal(t, []string{lead.Program}, made.Also)
		require.Equal(t, "Olga", made.Name)
		require.Equal(t, "A lamp", made.Message)
		require.Equal(t, "news", made.Source.Source)
		deeds, err := o.Leads.Deeds(t.Context(), o.lamps.ID, []int64{sent.ID})
		require.NoError(t, err)
		require.Len(t, deeds, 1)

		o.clock.Pass(time.Hour)
		later := o.add(secret, asked)
		require.NotEqual(t, sent.ID, later.ID)
		require.Equal(t, fmt.Sprint(view.Visit), later.VisitID)
		o.refusesTo(422, "POST", "/api/v1/sites/chairs.example/leads", secret, asked, "body.visitor_id")
	})
}

// A program adds no more leads than whoever hosts the site lets it have, and none to a site for which nothing is done.
func TestNewLeadsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.All(), token.WriteLeads)
		o.Limits.Configure(map[int64]*limit.Limits{o.lamps.ID: {Leads: new(int64(2)), Disk: new(int64(10))}})
		for i := range 2 {
			o.add(secret, fmt.Sprintf(`{"name":"%d"}`, i))
		}
		const path = "/api/v1/sites/lamps.example/leads"
		o.refusesTo(409, "POST", path, secret, `{"name":"3"}`, "leads of the day")
		named := o.scene()
		o.refusesTo(409, "POST", "/api/v1/sites/lamps.example/chats/"+named["chat"]+"/files?operator_id="+named["anna"], o.token(scope.All(), token.WriteChats), "of 11 bytes", "room for its data")
		o.Limits.Configure(nil)
		for _, do := range []func(bool) error{
			func(is bool) error { _, err := o.Sites.Retire(t.Context(), o.lamps.ID, is, "vera"); return err },
			func(is bool) error { _, err := o.Sites.Suspend(t.Context(), o.lamps.ID, is, "vera"); return err },
		} {
			require.NoError(t, do(true))
			o.refusesTo(409, "POST", path, secret, `{"name":"4"}`, "nothing is done for the site")
			require.NoError(t, do(false))
		}
		o.add(secret, `{"name":"5"}`)
	})
}
