package system

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// view reports a page view, and returns the status and the code of the answer.
func (s *server) view(n int) (status int, code any) {
	s.T.Helper()
	status, body := s.call("hit", map[string]any{
		"site_key": "shop", "view": fmt.Sprintf("view-%017d", n), "url": s.Text("http://localhost:$PORT/"), "kind": "load",
	})
	return status, body["code"]
}

// Above its limits a site goes on as if nothing were in front of it, and what was sent as a lead can be read by its owner.
func TestLimitsOfASite(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _, database string) {
		s := run(t, `
		{
			frontdesk {
				database `+database+`
				operator anna "`+hash+`"
				limits {
					views 4
					leads 1000000
					chats 1
				}
			}
		}
		http://localhost:$PORT {
			frontdesk shop {
				prerender static
				number 74951234567 {
					static 74957654321
				}
				capture /contact
				limits {
					leads 2
					streams 1
				}
			}
			handle /contact {
				respond "thanks"
			}
			handle {
				header Content-Type text/html
				respond "<!doctype html><html><head><title>Lamps</title></head><body>+7 495 123-45-67</body></html>"
			}
		}
		http://localhost:$PORT2 {
			frontdesk_console
		}`).Ready()
		desk, done, err := caddymodule.Use()
		require.NoError(t, err)
		t.Cleanup(done)
		const at = "http://localhost:$PORT"
		whole := s.Get(at + "/")
		require.Contains(t, whole.Content, insertion)
		require.Contains(t, whole.Content, "765-43-21")
		for n := range 4 {
			status, _ := s.view(n)
			require.Equal(t, http.StatusOK, status)
		}
		status, _ := s.view(0)
		require.Equal(t, http.StatusForbidden, status, "nothing more is stored")
		status, code := s.view(5)
		require.Equal(t, http.StatusForbidden, status)
		require.Equal(t, "limit_reached", code)
		bare := s.Get(at + "/")
		require.Equal(t, `<!doctype html><html><head><title>Lamps</title></head><body>+7 495 123-45-67</body></html>`, bare.Content)

		form := func(name string) {
			t.Helper()
			sent, err := s.Client.PostForm(s.Text(at+"/contact"), url.Values{"name": {name}, "phone": {"+7 495 000-00-01"}, "message": {name}})
			require.NoError(t, err)
			defer sent.Body.Close()
			require.Equal(t, http.StatusOK, sent.StatusCode)
		}
		form("Anna")
		form("Boris")
		require.Len(t, keptLeads(t, desk, 2), 2)
		form("Clara")
		require.Eventually(t, func() bool {
			console := s.console()
			client, signedIn := console.as("anna")
			require.True(t, signedIn)
			console.Client.Jar = client.Jar
			return strings.Contains(console.Get("http://localhost:$PORT/leads/refused").Content, "Clara")
		}, wait, tick)
		require.Len(t, leadsOf(t, desk), 2)
		require.NoError(t, desk.Limits.Store(t.Context()))
		wrong, err := desk.Incidents.Now(t.Context(), scope.All())
		require.NoError(t, err)
		var about []string
		for _, w := range wrong {
			require.Equal(t, incident.Limit, w.Kind)
			about = append(about, w.About)
		}
		require.ElementsMatch(t, []string{"views", "leads"}, about)
		require.Contains(t, s.Log(), "a site has reached its limit")
		require.Positive(t, s.Metric(`frontdesk_limited_total{limit="leads"}`))
		require.Positive(t, s.Metric(`frontdesk_pages_passed_total{reason="limited"}`))

		console := s.console()
		client, signedIn := console.as("anna")
		require.True(t, signedIn)
		console.Client.Jar = client.Jar
		page := console.Get("http://localhost:$PORT/sites/1").Content
		require.Contains(t, page, "The site has reached a limit: Leads today")
		require.Contains(t, page, "2 of 2")
		require.Contains(t, page, "4 of 4")
	})
}
