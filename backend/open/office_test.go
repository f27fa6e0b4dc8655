package open_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/open"
	"github.com/seed-3405227d/frontdesk/backend/open/once"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/check"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit/client"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) {
	openapi3filter.RegisterBodyDecoder("text/csv", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("image/jpeg", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("image/png", openapi3filter.FileBodyDecoder)
	dbtest.Main(m)
}

// office is the API of two sites with leads, of which lamps is the one that the calls of tests are about.
type office struct {
	*testing.T
	open.Subjects
	clock         *operatortest.Clock
	db            *db.DB
	visits        *visittest.Rooms
	Sightings     *sighting.Sightings
	intake        *intake.Budget
	lamps, chairs site.Site
	url           string
	router        routers.Router
	document      *openapi3.T
}

func each(t *testing.T, test func(t *testing.T, o *office)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) { test(t, serve(t, d)) })
}

// serve runs the API on the database until the test ends.
func serve(t *testing.T, d *db.DB) *office {
	o := newOffice(t, d)
	api := open.New(o.Subjects, o.clock.Now, zaptest.NewLogger(t))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, done := o.intake.Admit(r)
		defer done()
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(api.Close)
	o.url = server.URL

	_, document := o.call("GET", "/api/v1/openapi.json", "", "")
	var err error
	o.document, err = openapi3.NewLoader().LoadFromData(document)
	require.NoError(t, err)
	require.NoError(t, o.document.Validate(t.Context()))
	o.router, err = gorillamux.NewRouter(o.document)
	require.NoError(t, err)
	return o
}

func newOffice(t *testing.T, d *db.DB) *office {
	clock, logger := operatortest.NewClock(), zaptest.NewLogger(t)
	now := clock.Now
	visits := visittest.Open(t, d, now)
	o := &office{T: t, clock: clock, db: d, visits: visits, intake: intake.New(intake.Whole)}
	numbers, leases := inventory.New(d, now), lease.New(d, now, nil)
	region := func(context.Context, int64) string { return "RU" }
	keepOwn := func(ctx context.Context, tx db.Tx, siteID int64, own number.Own) error {
		return numbers.KeepOwn(ctx, tx, siteID, own, nil)
	}
	o.Subjects = open.Subjects{
		Tokens: token.New(d, now), Answers: once.New(d, now), Sites: site.New(d, now, logger, keepOwn), Numbers: numbers, Forms: form.New(d, now),
		Operators: operator.New(d, now), Groups: group.New(d, now), Replies: reply.New(d), Reports: report.New(d, visits.Keys, now), Costs: cost.New(d, now), Saved: saved.New(d, now), Links: link.New(d, now), Journal: journal.New(d), Visits: visits.Visits, Cards: visits.Cards, Onsite: visits.Onsite,
		Leads:      lead.New(lead.Subjects{DB: d, Visits: visits.Visits, Texts: visits.Texts, Numbers: leases.ShownAt}, now),
		Configured: func(string) (site.Settings, bool) { return site.Settings{Timezone: new("Europe/Moscow")}, true },
		Pools:      func() number.ConfiguredPools { return number.ConfiguredPools{} },
		Region:     region,
	}
	o.Leases, o.Refused, o.Incidents = leases, refused.New(d, o.Leads, nil, now), incident.New(d, now)
	o.SignIns, o.TwoStep = signin.New(d, o.Operators, now), twostep.New(d, now)
	o.Inbox = inbox.New(d, o.Leads, now)
	none := func(context.Context, int64) (int64, error) { return 0, nil }
	var err error
	o.Limits, err = limit.Open(t.Context(), limit.Subjects{DB: d, Chats: none, Logger: logger}, now)
	require.NoError(t, err)
	o.Calls = call.New(call.Subjects{DB: d, Visits: visits.Visits, Leases: leases, Leads: o.Leads}, now)
	o.Sightings = sighting.New(d, now)
	o.Checks = check.New(check.Subjects{
		Sites: o.Sites, Days: visits.Days, Sightings: o.Sightings, Numbers: numbers, Forms: o.Forms, Calls: o.Calls, Service: func(key string) string { return "https://" + key + "/frontdesk/" },
	}, now)
	o.Chats = chat.New(chat.Subjects{DB: d, Visits: visits.Visits, Texts: visits.Texts, Cards: visits.Cards, Leads: o.Leads, Region: region}, now)
	o.Overview = overview.New(d, o.Chats)
	jobs := queue.New(d, logger)
	o.Callbacks, err = callback.Open(t.Context(), callback.Subjects{
		DB: d, Queue: jobs, Visits: visits.Visits, Groups: o.Groups, Key: o.Sites.Key, Diallers: func() []telephony.Dialler { return []telephony.Dialler{exchange{}} },
	}, now, logger)
	require.NoError(t, err)
	o.Deliveries = notify.New(notify.Subjects{DB: d, Journal: o.Journal, Queue: jobs, Sites: o.Sites, Leads: o.Leads, Calls: o.Calls}, func() notify.Settings {
		return notify.Settings{Mail: &mail.Server{Host: "127.0.0.1", Port: 1, From: "desk@lamps.example"}, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	}, nil, now, logger)
	o.Conversions = conversion.New(conversion.Subjects{
		DB: d, Deliveries: o.Deliveries, Sites: o.Sites, Leads: o.Leads, Calls: o.Calls, Chats: o.Chats, Visits: visits.Visits, Clients: client.New(d, visits.Keys, logger),
	}, now, logger)
	o.Bulletins = bulletin.New(bulletin.Subjects{DB: d, Queue: jobs, Deliveries: o.Deliveries}, now, logger)
	o.Persons, err = person.New(t.Context(), d, now, logger, func(context.Context) []string { return []string{"RU"} },
		visits.Visits.Traces(), o.Chats.Traces(), o.Leads.Traces(), inbox.Traces(), o.Callbacks.Traces(), o.Calls.Traces(), o.Journal.Traces())
	require.NoError(t, err)
	o.lamps, err = o.Sites.Add(t.Context(), "lamps.example", "")
	require.NoError(t, err)
	o.chairs, err = o.Sites.Add(t.Context(), "chairs.example", "")
	require.NoError(t, err)
	o.Limits.Configure(map[int64]*limit.Limits{o.lamps.ID: {Leads: new(int64(100))}})
	return o
}

// exchange is a telephone platform that takes every order and calls nobody.
type exchange struct{}

func (exchange) Name() string                                 { return "webhook" }
func (exchange) Place(context.Context, telephony.Order) error { return nil }
func (exchange) Cancel(context.Context, string) error         { return nil }

// token makes a token of the scopes for the sites.
func (o *office) token(sites scope.Sites, scopes ...token.Scope) string {
	o.Helper()
	_, secret, err := o.Tokens.Make(o.Context(), operator.Server(), token.Token{Name: "A program", Scopes: scopes, Sites: sites}, 30)
	require.NoError(o, err)
	return secret
}

// lead makes a lead of the site.
func (o *office) lead(of site.Site, message string) lead.Lead {
	o.Helper()
	o.clock.Pass(time.Second)
	l, _, err := o.Leads.Add(o.Context(), submission.Submission{
		SiteID: of.ID, Origin: lead.Form, Name: "Anna", Email: "anna@mail.example", Message: message, FormName: "Order", FormKey: message,
		UserFields: map[string]string{"city": "Oslo"},
	})
	require.NoError(o, err)
	return l
}

// call makes a call, and checks its answer against the document where it has the operation.
func (o *office) call(method, path, secret, asked string, fields ...string) (*http.Response, []byte) {
	o.Helper()
	request, err := http.NewRequestWithContext(o.Context(), method, o.url+path, strings.NewReader(asked))
	require.NoError(o, err)
	if asked != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if secret != "" {
		request.Header.Set("Authorization", "Bearer "+secret)
	}
	for pair := range slices.Chunk(fields, 2) {
		request.Header.Set(pair[0], pair[1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(o, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(o, err)
	require.Equal(o, "no-store", response.Header.Get("Cache-Control"))
	if o.router == nil || strings.Contains(path, "openapi") {
		return response, body
	}
	route, params, err := o.router.FindRoute(request)
	if err != nil {
		return response, body
	}
	told := &openapi3filter.RequestValidationInput{Request: request, PathParams: params, Route: route}
	require.NoError(o, openapi3filter.ValidateResponse(o.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: told, Status: response.StatusCode, Header: response.Header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}), "%s %s: %s", method, path, body)
	return response, body
}

// get reads the answer of a call that succeeds.
func (o *office) get(path, secret string, into any) *http.Response {
	o.Helper()
	response, body := o.call("GET", path, secret, "")
	require.Equal(o, http.StatusOK, response.StatusCode, string(body))
	require.NoError(o, json.Unmarshal(body, into))
	return response
}

// refuses checks what a call that reads is refused for.
func (o *office) refuses(status int, path, secret, words string) {
	o.Helper()
	o.refusesTo(status, "GET", path, secret, "", words)
}

// refusesTo checks what a call is refused for.
func (o *office) refusesTo(status int, method, path, secret, asked, words string, fields ...string) {
	o.Helper()
	response, body := o.call(method, path, secret, asked, fields...)
	require.Equal(o, status, response.StatusCode, string(body))
	require.Equal(o, "application/problem+json", response.Header.Get("Content-Type"))
	require.Contains(o, string(body), words)
}
