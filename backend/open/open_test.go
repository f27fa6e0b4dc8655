package open_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/open/inquiries"
	"github.com/seed-3405227d/frontdesk/backend/open/sites"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

type leads struct {
	Leads []inquiries.Lead
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

		var whole inquiries.WholeLead
		o.get(fmt.Sprint("/api/v1/sites/lamps.example/leads/", made[0].ID), secret, &whole)
		require.Equal(t, made[0].ID, whole.ID)
		require.Equal(t, "anna@mail.example", whole.Email)
		require.Equal(t, map[string]string{"city": "Oslo"}, whole.UserFields)
		require.Equal(t, visit.ID(0), other.Visitor)
		require.Empty(t, whole.VisitorID)

		_, err := o.Sites.Retire(t.Context(), o.lamps.ID, true, "")
		require.NoError(t, err)
		o.get(fmt.Sprint("/api/v1/sites/lamps.example/leads/", made[0].ID), secret, &whole)
	})
}

func TestSites(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		var list struct {
			Sites []sites.Site
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
		_, err := o.Sites.Retire(t.Context(), o.lamps.ID, true, "")
		require.NoError(t, err)
		o.get("/api/v1/sites", lamps, &list)
		require.Len(t, list.Sites, 1)
		var one sites.Site
		o.get("/api/v1/sites/lamps.example", lamps, &one)
		require.Equal(t, list.Sites[0], one)
		require.NotNil(t, one.RetiredAt)
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
		o.refuses(404, "/api/v1/sites/lamps.example/leads/999999", secret, "unknown lead")
		o.refuses(404, "/api/v1/sites/tables.example", secret, "there is no site of this key")
		o.refuses(404, "/api/v1/lead", secret, "nothing at this address")
		o.refuses(414, "/api/v1/leads?q="+strings.Repeat("a", 9000), secret, "too long")
		response, body := o.call("DELETE", "/api/v1/leads", secret, "")
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
		response, _ = o.call("GET", "/api/v1/sites", secret, "")
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
		response, _ := o.call("GET", "/api/v1/sites", secret, "", "Origin", "https://crm.example")
		require.Equal(t, "*", response.Header.Get("Access-Control-Allow-Origin"))
		require.Empty(t, response.Header.Get("Access-Control-Allow-Credentials"))
		response, _ = o.call("GET", "/api/v1/sites", "", "", "Origin", "https://crm.example")
		require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
		response, _ = o.call("OPTIONS", "/api/v1/sites", "", "", "Origin", "https://crm.example", "Access-Control-Request-Headers", "authorization")
		require.Equal(t, http.StatusNoContent, response.StatusCode)
		require.Equal(t, "Authorization, Content-Type, If-Match, Last-Event-ID, Idempotency-Key", response.Header.Get("Access-Control-Allow-Headers"))
	})
}
