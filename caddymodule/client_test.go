package caddymodule

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

func init() {
	caddy.RegisterModule(clientEcho{})
	httpcaddyfile.RegisterHandlerDirective("test_client_echo", func(httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		return clientEcho{}, nil
	})
	httpcaddyfile.RegisterDirectiveOrder("test_client_echo", httpcaddyfile.Before, "respond")
}

// clientEcho answers with the request as the service would see it.
type clientEcho struct{}

func (clientEcho) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_client_echo", New: func() caddy.Module { return new(clientEcho) }}
}

func (clientEcho) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	_, err := io.WriteString(w, requestOf(r).AsSent(r).RemoteAddr)
	return err
}

func TestClientAddress(t *testing.T) {
	const site = `
		http://localhost:$PORT {
			test_client_echo
		}`
	const trusting = `
		{
			servers {
				trusted_proxies static 127.0.0.1/32 ::1/128
				trusted_proxies_strict
			}
		}`
	forwarded := []string{"X-Forwarded-For", "203.0.113.7"}
	s := run(t, site)
	require.Regexp(t, `^(127\.0\.0\.1|\[::1\]):0$`, s.Get("http://localhost:$PORT/", forwarded...).Content, "nobody is trusted unless configured")
	require.NoError(t, s.Load(trusting+site))
	require.Equal(t, "203.0.113.7:0", s.Get("http://localhost:$PORT/", forwarded...).Content)
	require.Equal(t, "203.0.113.7:0", s.Get("http://localhost:$PORT/", "X-Forwarded-For", "192.0.2.1, 127.0.0.1, 203.0.113.7, ::1").Content, "what the client itself has put in front does not count")
	require.Equal(t, "[2001:db8::7]:0", s.Get("http://localhost:$PORT/", "X-Forwarded-For", "2001:db8::7").Content)
}

// exhaust makes calls of the script, each with another word for where it comes
// from, until one is refused.
func exhaust(s *server, forwardedFor func(call int) string) {
	s.T.Helper()
	var calls atomic.Int64
	var refused atomic.Bool
	var calling sync.WaitGroup
	for range 8 { // as fast as the machine can
		calling.Go(func() {
			for call := int(calls.Add(1)); call <= 5000 && !refused.Load(); call = int(calls.Add(1)) {
				response, err := s.Do(http.MethodGet, "http://localhost:$PORT/frontdesk/v1/status?k=shop", "", "X-Forwarded-For", forwardedFor(call-1))
				if assert.NoError(s.T, err) && response.StatusCode == http.StatusTooManyRequests {
					refused.Store(true)
				}
			}
		})
	}
	calling.Wait()
	require.True(s.T, refused.Load(), "no limit holds")
}

func status(s *server, forwardedFor string) int {
	s.T.Helper()
	return s.Get("http://localhost:$PORT/frontdesk/v1/status?k=shop", "X-Forwarded-For", forwardedFor).StatusCode
}

func address(n int) string { return fmt.Sprintf("198.51.%d.%d", 100+n/250, 1+n%250) }

// The settings that the documentation gives for a proxy hold its visitors to
// their own addresses, whatever they put in front of what the proxy adds.
func TestLimitsBehindTheDocumentedProxy(t *testing.T) {
	page, err := os.ReadFile("../docs/hosting.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## Behind a load balancer\n")
	require.True(t, found)
	documented := fenced.FindStringSubmatch(section)
	require.NotNil(t, documented)
	s := run(t, strings.Replace(option, "{", strings.TrimSuffix(strings.TrimSpace(documented[1]), "}"), 1)+`
		http://localhost:$PORT {
			frontdesk shop
		}`).Ready()
	const client, other = "203.0.113.7", "203.0.113.8"
	exhaust(s, func(call int) string { return address(call) + ", " + client })
	exhaust(s, func(call int) string { return "127.0.0.1, " + address(call) + ", " + client + ", 10.0.0.1" })
	require.Equal(t, http.StatusOK, status(s, client+", "+other))
}

// Visitors behind a proxy of this machine that the server has not been told of
// are one client: everything works, and what is said of their addresses does not count.
func TestLimitsBehindAProxyThatIsNotDeclared(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`).Ready()
	const site = "http://localhost:$PORT"
	require.Contains(t, s.Get(site+"/", "X-Forwarded-For", address(0)).Content, insertion)
	first, set := s.Viewed(site, site+"/", "", "X-Forwarded-For", address(1))
	again, _ := s.Viewed(site, site+"/", servertest.CookieOf(t, set), "X-Forwarded-For", address(2))
	require.Equal(t, first, again)
	stranger, _ := s.Viewed(site, site+"/", "", "X-Forwarded-For", address(1))
	require.NotEqual(t, first, stranger)

	exhaust(s, address)
	require.Contains(t, s.Get(site+"/", "X-Forwarded-For", address(3)).Content, insertion, "pages are not limited")
}
