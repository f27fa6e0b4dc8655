package system

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever runs the server suspends a site beside a running Caddy: its pages go out as they are, and its own admins cannot
// go on with it.
func TestSuspendedSite(t *testing.T) {
	s := run(t, `
	{
		frontdesk {
			database sqlite $DIR/frontdesk.db
			operator vera "`+hash+`"
			operator anna "`+hash+`" shop
		}
	}
	http://localhost:$PORT {
		frontdesk shop
		header Content-Type text/html
		respond "<!doctype html><html><head><title>Lamps</title></head></html>"
	}
	http://localhost:$PORT2 {
		frontdesk_console
	}`).Ready()
	on := []string{"--database-sqlite", s.Text("$DIR/frontdesk.db")}
	do := func(args ...string) (string, error) {
		return command(t, "", append(append([]string{"site"}, args...), on...)...)
	}
	woven := func(want bool) {
		t.Helper()
		require.Eventually(t, func() bool {
			return want == strings.Contains(s.Get("http://localhost:$PORT/").Content, insertion)
		}, wait, tick)
	}
	console := s.console()
	post := func(client *http.Client, suspended string) int {
		t.Helper()
		console.Client.Jar = client.Jar
		answer, err := console.Do(http.MethodPost, "http://localhost:$PORT/sites/1/suspended", "suspended="+suspended, "Content-Type", formType, "Origin", console.Text("http://localhost:$PORT"))
		require.NoError(t, err)
		return answer.StatusCode
	}
	woven(true)
	_, err := do("suspend", "shop", "nowhere.example")
	require.ErrorContains(t, err, `site "nowhere.example": the site is not known`)
	woven(true)
	output, err := do("suspend", "shop")
	require.NoError(t, err)
	require.Equal(t, "shop is suspended\n", output)
	woven(false)
	require.Equal(t, "<!doctype html><html><head><title>Lamps</title></head></html>", s.Get("http://localhost:$PORT/").Content)
	require.Positive(t, s.Metric(`frontdesk_pages_passed_total{reason="suspended"}`))
	list, err := do("list")
	require.NoError(t, err)
	require.Regexp(t, `(?m)^1 +shop +suspended +\d{4}-\d\d-\d\d$`, list)

	anna, signedIn := console.as("anna")
	require.True(t, signedIn)
	console.Client.Jar = anna.Jar
	page := console.Get("http://localhost:$PORT/sites/1").Content
	require.Contains(t, page, "Whoever hosts the site has suspended it")
	require.NotContains(t, page, "/sites/1/suspended")
	require.Contains(t, console.Get("http://localhost:$PORT/sites").Content, "Suspended")
	require.Equal(t, http.StatusForbidden, post(anna, "false"))
	woven(false)
	vera, signedIn := console.as("vera")
	require.True(t, signedIn)
	require.Equal(t, http.StatusOK, post(vera, "false"))
	woven(true)
	require.Equal(t, http.StatusOK, post(vera, "true"))
	woven(false)
	console.Client.Jar = vera.Jar
	history := console.Get("http://localhost:$PORT/history").Content
	require.Contains(t, history, "Site suspended")
	require.Contains(t, history, "Site resumed")
	_, err = do("resume", "shop")
	require.NoError(t, err)
	woven(true)
}
