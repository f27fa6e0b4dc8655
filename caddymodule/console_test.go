package caddymodule

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

// A proxy in front ends TLS. Its word for that counts when the configuration
// trusts it, and nobody else's does.
func TestConsoleBehindAProxyThatEndsTLS(t *testing.T) {
	t.Setenv("TEST_HASH", hash)
	const site = `
			frontdesk {
				database sqlite $DIR/frontdesk.db
				operator anna {env.TEST_HASH}
			}
		}
		http://desk.example:$PORT {
			bind 127.0.0.1
			frontdesk_console
		}`
	s := run(t, "{"+site).Ready()
	s.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	signIn := func(headers ...string) servertest.Answer {
		t.Helper()
		form := url.Values{"login": {"anna"}, "password": {servertest.Password}}
		response, err := s.Do(http.MethodPost, "http://127.0.0.1:$PORT/sign-in", form.Encode(), append(headers, "Host", "desk.example", "Content-Type", "application/x-www-form-urlencoded")...)
		require.NoError(t, err)
		require.Equal(t, http.StatusSeeOther, response.StatusCode)
		require.Len(t, response.Cookies(), 2, "the session's and the browser's")
		return response
	}
	plain := func(response servertest.Answer, why string) {
		t.Helper()
		require.Empty(t, response.Header.Get("Strict-Transport-Security"), why)
		for _, c := range response.Cookies() {
			require.False(t, c.Secure, why)
			require.False(t, strings.HasPrefix(c.Name, "__Host-"), why)
		}
	}
	forwarded := []string{"X-Forwarded-Proto", "https", "X-Forwarded-For", "203.0.113.7", "Origin", "https://desk.example"}
	plain(signIn(forwarded...), "nobody is trusted unless configured")

	require.NoError(t, s.Load("{ \n servers { \n trusted_proxies static 127.0.0.1/32 \n } \n"+site))
	plain(signIn(), "the proxy itself was asked over plain HTTP")
	plain(signIn("X-Forwarded-Proto", "http", "X-Forwarded-For", "203.0.113.7"), "the proxy says so")
	secured := signIn(forwarded...)
	require.Equal(t, "max-age=31536000", secured.Header.Get("Strict-Transport-Security"))
	for _, c := range secured.Cookies() {
		require.True(t, c.Secure)
		require.True(t, strings.HasPrefix(c.Name, "__Host-frontdesk"), c.Name)
		require.Equal(t, "/", c.Path)
		require.Empty(t, c.Domain)
	}

	// Strangers are told apart by the address that the proxy names.
	guess := func(from string) int {
		t.Helper()
		answered, err := s.Do(http.MethodPost, "http://127.0.0.1:$PORT/sign-in", "login=nobody&password=guess", "Host", "desk.example",
			"Content-Type", "application/x-www-form-urlencoded", "X-Forwarded-For", from)
		require.NoError(t, err)
		return answered.StatusCode
	}
	for range 10 {
		require.Equal(t, http.StatusUnauthorized, guess("203.0.113.1"))
	}
	require.Equal(t, http.StatusTooManyRequests, guess("203.0.113.1"))
	require.Equal(t, http.StatusUnauthorized, guess("203.0.113.2"))
}

// The console's answers are compressed once, with the directive encode in front and without.
func TestConsoleIsCompressed(t *testing.T) {
	const rest = `
			frontdesk_console
		}`
	const begin = `{
			frontdesk {
				database sqlite $DIR/frontdesk.db
			}
		}
		http://desk.example:$PORT {
			bind 127.0.0.1`
	s := run(t, begin+rest).Ready()
	for _, config := range []string{begin + rest, begin + "\nencode" + rest} {
		require.NoError(t, s.Load(config))
		for _, coding := range []string{"gzip", ""} {
			response, err := s.Do(http.MethodGet, "http://127.0.0.1:$PORT/sign-in", "", "Host", "desk.example", "Accept-Encoding", coding)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, response.StatusCode)
			if coding == "" {
				require.Empty(t, response.Header.Get("Content-Encoding"))
				continue
			}
			require.Equal(t, []string{coding}, response.Header.Values("Content-Encoding"))
		}
	}
}
