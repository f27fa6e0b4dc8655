package caddymodule

import (
	"io"
	"net/http"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/stretchr/testify/require"
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
	_, err := io.WriteString(w, asSent(r, r.URL).RemoteAddr)
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
			}
		}`
	forwarded := []string{"X-Forwarded-For", "203.0.113.7"}
	s := run(t, site)
	require.Regexp(t, `^(127\.0\.0\.1|\[::1\]):0$`, s.get("http://localhost:$PORT/", forwarded...).body, "nobody is trusted unless configured")
	require.NoError(t, s.load(trusting+site))
	require.Equal(t, "203.0.113.7:0", s.get("http://localhost:$PORT/", forwarded...).body)
	require.Equal(t, "[2001:db8::7]:0", s.get("http://localhost:$PORT/", "X-Forwarded-For", "2001:db8::7").body)
}
