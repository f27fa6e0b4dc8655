package open_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
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

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/open"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// office is the API of two sites with leads, of which lamps is the one that the calls of tests are about.
type office struct {
	*testing.T
	clock         *operatortest.Clock
	db            *db.DB
	tokens        *token.Tokens
	leads         *lead.Leads
	sites         *site.Sites
	lamps, chairs site.Site
	url           string
	router        routers.Router
}

func each(t *testing.T, test func(t *testing.T, o *office)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		clock := operatortest.NewClock()
		now := clock.Now
		visits := visittest.Open(t, d, now)
		o := &office{T: t, clock: clock, db: d, tokens: token.New(d, now), sites: site.New(d, now, zaptest.NewLogger(t))}
		o.leads = lead.New(lead.Subjects{DB: d, Visits: visits.Visits, Texts: visits.Texts}, now)
		var err error
		o.lamps, err = o.sites.Add(t.Context(), "lamps.example", "")
		require.NoError(t, err)
		o.chairs, err = o.sites.Add(t.Context(), "chairs.example", "")
		require.NoError(t, err)
		api := open.New(open.Subjects{Tokens: o.tokens, Sites: o.sites, Leads: o.leads, Inbox: inbox.New(d, o.leads, now)}, now, zaptest.NewLogger(t))
		server := httptest.NewServer(api)
		t.Cleanup(server.Close)
		o.url = server.URL

		_, document := o.call("GET", "/api/v1/openapi.json", "")
		loaded, err := openapi3.NewLoader().LoadFromData(document)
		require.NoError(t, err)
		require.NoError(t, loaded.Validate(t.Context()))
		o.router, err = gorillamux.NewRouter(loaded)
		require.NoError(t, err)
		test(t, o)
	})
}

// token makes a token of the scopes for the sites.
func (o *office) token(sites scope.Sites, scopes ...token.Scope) string {
	o.Helper()
	_, secret, err := o.tokens.Make(o.Context(), operator.Server(), token.Token{Name: "A program", Scopes: scopes, Sites: sites}, 30)
	require.NoError(o, err)
	return secret
}

// lead makes a lead of the site.
func (o *office) lead(of site.Site, message string) lead.Lead {
	o.Helper()
	o.clock.Pass(time.Second)
	l, _, err := o.leads.Add(o.Context(), submission.Submission{
		SiteID: of.ID, Origin: lead.Form, Name: "Anna", Email: "anna@mail.example", Message: message, FormName: "Order", FormKey: message,
		UserFields: map[string]string{"city": "Oslo"},
	})
	require.NoError(o, err)
	return l
}

// call makes a call, and checks its answer against the document where it has the operation.
func (o *office) call(method, path, secret string, fields ...string) (*http.Response, []byte) {
	o.Helper()
	request, err := http.NewRequestWithContext(o.Context(), method, o.url+path, nil)
	require.NoError(o, err)
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
	asked := &openapi3filter.RequestValidationInput{Request: request, PathParams: params, Route: route}
	require.NoError(o, openapi3filter.ValidateResponse(o.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: asked, Status: response.StatusCode, Header: response.Header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}), "%s %s: %s", method, path, body)
	return response, body
}

// get reads the answer of a call that succeeds.
func (o *office) get(path, secret string, into any) *http.Response {
	o.Helper()
	response, body := o.call("GET", path, secret)
	require.Equal(o, http.StatusOK, response.StatusCode, string(body))
	require.NoError(o, json.Unmarshal(body, into))
	return response
}

// refuses checks what a call is refused for.
func (o *office) refuses(status int, path, secret, words string) {
	o.Helper()
	response, body := o.call("GET", path, secret)
	require.Equal(o, status, response.StatusCode, string(body))
	require.Equal(o, "application/problem+json", response.Header.Get("Content-Type"))
	require.Contains(o, string(body), words)
}

type leads struct {
	Leads []open.Lead
	Next  string
}

func TestLeads(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		var made []lead.Lead
		for _, color := range []string{"red", "green", "blue", "white", "black"} {
			made = append(made, o.lead(o.lamps, "Is the "+color+" lamp there?"))
		}
		other := o.lead(o.chairs, "A chair, please")
		secret := o.token(scope.All(), token.ReadLeads)

		var seen []int64
		for next := ""; ; {
			var page leads
			o.get("/api/v1/leads?limit=2&cursor="+next, secret, &page)
			for _, l := range page.Leads {
				seen = append(seen, l.ID)
			}
			if next = page.Next; next == "" {
				break
			}
		}
		require.Equal(t, []int64{other.ID, made[4].ID, made[3].ID, made[2].ID, made[1].ID, made[0].ID}, seen)

		var found leads
		o.get("/api/v1/leads?site=lamps.example&q=lamp+white&form=Order&state=new", secret, &found)
		require.Len(t, found.Leads, 1)
		require.Equal(t, "lamps.example", found.Leads[0].Site)
		require.Equal(t, "Is the white lamp there?", found.Leads[0].Message)
		o.get("/api/v1/leads?since="+url.QueryEscape(made[3].At.Format(time.RFC3339Nano))+"&until="+url.QueryEscape(made[4].At.Format(time.RFC3339Nano)), secret, &found)
		require.Len(t, found.Leads, 1)
		require.Equal(t, made[3].ID, found.Leads[0].ID)
		o.get("/api/v1/leads?state=done", secret, &found)
		require.Empty(t, found.Leads)

		var whole open.WholeLead
		o.get(fmt.Sprint("/api/v1/sites/lamps.example/leads/", made[0].ID), secret, &whole)
		require.Equal(t, made[0].ID, whole.ID)
		require.Equal(t, "anna@mail.example", whole.Email)
		require.Equal(t, map[string]string{"city": "Oslo"}, whole.UserFields)
		require.Equal(t, visit.ID(0), other.Visitor)
		require.Empty(t, whole.VisitorID)

		_, err := o.sites.Retire(t.Context(), o.lamps.ID, true, "")
		require.NoError(t, err)
		o.get(fmt.Sprint("/api/v1/sites/lamps.example/leads/", made[0].ID), secret, &whole)
	})
}

func TestSites(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		var list struct {
			Sites []open.Site
			Next  string
		}
		all := o.token(scope.All(), token.ReadSites)
		o.get("/api/v1/sites?limit=1", all, &list)
		require.Equal(t, "chairs.example", list.Sites[0].Key)
		require.Equal(t, "chairs.example", list.Next)
		o.get("/api/v1/sites?limit=1&after="+list.Next, all, &list)
		require.Equal(t, "lamps.example", list.Sites[0].Key)
		require.Empty(t, list.Next)
		require.Nil(t, list.Sites[0].RetiredAt)

		lamps := o.token(scope.Of(o.lamps.ID), token.ReadSites)
		_, err := o.sites.Retire(t.Context(), o.lamps.ID, true, "")
		require.NoError(t, err)
		o.get("/api/v1/sites", lamps, &list)
		require.Len(t, list.Sites, 1)
		var one open.Site
		o.get("/api/v1/sites/lamps.example", lamps, &one)
		require.Equal(t, list.Sites[0], one)
		require.NotNil(t, one.RetiredAt)
	})
}

// Each operation is closed to who has no token, one that has ended, one of another scope, and one of another site.
func TestNoHoles(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		l := o.lead(o.lamps, "Is the lamp there?")
		made, ended, err := o.tokens.Make(t.Context(), operator.Server(), token.Token{Name: "Ended", Scopes: token.Scopes, Sites: scope.All()}, 1)
		require.NoError(t, err)
		require.NoError(t, o.tokens.Revoke(t.Context(), operator.Server(), made.ID))
		other := o.token(scope.Of(o.chairs.ID), token.Scopes...)

		_, document := o.call("GET", "/api/v1/openapi.json", "")
		loaded, err := openapi3.NewLoader().LoadFromData(document)
		require.NoError(t, err)
		operations := 0
		for path, item := range loaded.Paths.Map() {
			for method, op := range item.Operations() {
				operations++
				require.Equal(t, http.MethodGet, method)
				scopes := (*op.Security)[0]["token"]
				require.Len(t, scopes, 1, path)
				var others []token.Scope
				for _, s := range token.Scopes {
					if string(s) != scopes[0] {
						others = append(others, s)
					}
				}
				path := strings.NewReplacer("{site}", "lamps.example", "{id}", fmt.Sprint(l.ID)).Replace(path)
				o.refuses(401, path, "", "expected a token")
				o.refuses(401, path, ended, "has ended")
				o.refuses(401, path, ended[:20], "no such token")
				o.refuses(403, path, o.token(scope.All(), others...), scopes[0])
				o.refuses(401, path+"?token="+ended, "", "stands in logs")
				if strings.Contains(path, "lamps.example") {
					o.refuses(404, path, other, "there is no site of this key")
				} else {
					response, body := o.call("GET", path, other)
					require.Equal(t, 200, response.StatusCode)
					require.NotContains(t, string(body), "lamp")
				}
				o.refuses(422, path+"?unknown=1", o.token(scope.All(), token.Scopes...), "unknown query parameter")
			}
		}
		require.Equal(t, 4, operations)
		o.refuses(404, "/api/v1/leads?site=lamps.example", other, "there is no site of this key")
	})
}

func TestMistakesOfCalls(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		for range 3 {
			o.lead(o.lamps, fmt.Sprint("Lamp ", o.clock.Now()))
		}
		secret := o.token(scope.All(), token.Scopes...)
		var page leads
		o.get("/api/v1/leads?limit=1", secret, &page)
		for path, words := range map[string]string{
			"leads?limit=0":         "query.limit",
			"leads?limit=101":       "query.limit",
			"leads?limit=many":      "query.limit",
			"leads?state=lost":      "query.state",
			"leads?since=yesterday": "query.since",
			"leads?q=a":             "query.q",
			"leads?cursor=AAAA":     "query.cursor",
			"leads?limit=1&form=Order&cursor=" + page.Next: "query.cursor",
			"sites/lamps.example/leads/0":                  "path.id",
			"sites/lamps.example/leads/one":                "path.id",
			"sites?after=" + strings.Repeat("a", 65):       "query.after",
		} {
			o.refuses(422, "/api/v1/"+path, secret, words)
		}
		o.refuses(404, "/api/v1/sites/lamps.example/leads/999999", secret, "no lead of this number")
		o.refuses(404, "/api/v1/sites/tables.example", secret, "there is no site of this key")
		o.refuses(404, "/api/v1/", secret, "nothing at this address")
		o.refuses(404, "/api/v1/lead", secret, "nothing at this address")
		o.refuses(414, "/api/v1/leads?q="+strings.Repeat("a", 9000), secret, "too long")
		response, body := o.call("DELETE", "/api/v1/leads", secret)
		require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode, string(body))
		require.Equal(t, "GET", response.Header.Get("Allow"))
	})
}

func TestLimits(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.All(), token.ReadSites)
		var list struct{}
		response := o.get("/api/v1/sites", secret, &list)
		require.Equal(t, `"token";q=1000;w=10`, response.Header.Get("RateLimit-Policy"))
		require.Equal(t, `"token";r=999;t=1`, response.Header.Get("RateLimit"))
		for range 999 {
			o.get("/api/v1/sites", secret, &list)
		}
		response, _ = o.call("GET", "/api/v1/sites", secret)
		require.Equal(t, http.StatusTooManyRequests, response.StatusCode)
		require.Equal(t, "1", response.Header.Get("Retry-After"))
		o.get("/api/v1/sites", o.token(scope.All(), token.ReadSites), &list)
		o.clock.Pass(time.Second)
		o.get("/api/v1/sites", secret, &list)

		for range 100 {
			o.refuses(401, "/api/v1/sites", token.Prefix+"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "no such token")
		}
		o.get("/api/v1/sites", secret, &list)
	})
}

func TestPagesOfOtherOrigins(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.All(), token.ReadSites)
		response, _ := o.call("GET", "/api/v1/sites", secret, "Origin", "https://crm.example")
		require.Equal(t, "*", response.Header.Get("Access-Control-Allow-Origin"))
		require.Empty(t, response.Header.Get("Access-Control-Allow-Credentials"))
		response, _ = o.call("GET", "/api/v1/sites", "", "Origin", "https://crm.example")
		require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
		response, _ = o.call("OPTIONS", "/api/v1/sites", "", "Origin", "https://crm.example", "Access-Control-Request-Headers", "authorization")
		require.Equal(t, http.StatusNoContent, response.StatusCode)
		require.Equal(t, "Authorization", response.Header.Get("Access-Control-Allow-Headers"))
	})
}
