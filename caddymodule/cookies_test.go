package caddymodule

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

// browsing is a site whose visitors and sources are remembered by cookies.
const browsing = `
	frontdesk shop {
		prerender static
		number 74951234567 {
			static 74957650001 utm_source=news*
		}
	}
	header Content-Type "text/html; charset=utf-8"
	respond "<!doctype html><html><head><title>Lamps</title></head><body>+7 (495) 123-45-67</body></html>"`

func TestCookiesOverTLS(t *testing.T) {
	s := run(t, `
		{
			frontdesk {
				database sqlite $DIR/frontdesk.db
			}
			storage file_system $DIR/storage
			skip_install_trust
			auto_https disable_redirects
		}
		https://localhost:$PORT {
			tls internal
			`+browsing+`
		}
		http://localhost:$PORT2 {
			`+browsing+`
		}`).Ready()
	const secure, plain = "https://localhost:$PORT", "http://localhost:$PORT2"
	s.Client.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(s.Client.CloseIdleConnections)
	require.Eventually(t, func() bool { // when the certificate has been made
		_, err := s.Do(http.MethodGet, secure+"/", "")
		return err == nil
	}, wait, tick)

	visitor, set := s.Viewed(secure, secure+"/", "")
	own := servertest.CookieOf(t, set)
	require.Regexp(t, `^__Host-svc_v=[0-9]+\.[\w-]+; Path=/; Max-Age=34560000; HttpOnly; Secure; SameSite=Lax$`, set[0])
	again, _ := s.Viewed(secure, secure+"/", own)
	require.Equal(t, visitor, again)

	stranger, set := s.Viewed(plain, plain+"/", "")
	tossed := servertest.CookieOf(t, set)
	require.Regexp(t, `^svc_v=[^;]+; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax$`, set[0])
	require.NotEqual(t, visitor, stranger)
	again, _ = s.Viewed(secure, secure+"/", tossed+"; "+own)
	require.Equal(t, visitor, again, "a neighbouring host can set the name without the prefix")
	again, set = s.Viewed(secure, secure+"/", tossed)
	require.Equal(t, stranger, again, "a visitor of the time before keeps who they are")
	require.Equal(t, "__Host-"+tossed, servertest.CookieOf(t, set))

	// The cookie of the source, which decides about the number.
	news := s.Get(secure + "/?utm_source=news")
	require.Contains(t, news.Content, "+7 (495) 765-00-01")
	require.Regexp(t, `^__Host-svc_src=[\w-]+; Path=/; Max-Age=34560000; HttpOnly; Secure; SameSite=Lax$`, news.Header.Get("Set-Cookie"))
	remembered := servertest.CookieOf(t, news.Header.Values("Set-Cookie"))
	old := strings.TrimPrefix(remembered, "__Host-")
	other := "svc_src=" + (&attribution.Remembered{Source: source.Source{Kind: source.Campaign, Source: "other"}, Seen: time.Now()}).Cookie()
	for _, cookie := range []string{remembered, old, other + "; " + remembered, "svc_src=x; __Host-svc_src=x; " + old} {
		got := s.Get(secure+"/", "Cookie", cookie)
		require.Contains(t, got.Content, "+7 (495) 765-00-01", cookie)
		require.Empty(t, got.Header.Values("Set-Cookie"), cookie)
	}
	for _, cookie := range []string{remembered, old} {
		gone := s.Get(secure+"/", "Cookie", cookie, "Referer", "https://blog.example/")
		require.Contains(t, gone.Content, "+7 (495) 123-45-67")
		require.Equal(t, []string{
			"__Host-svc_src=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax",
			"svc_src=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
		}, gone.Header.Values("Set-Cookie"), "under both names, or the other would be read again")
	}
	require.Regexp(t, `^svc_src=[\w-]+; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax$`, s.Get(plain+"/?utm_source=news").Header.Get("Set-Cookie"))
}

// A proxy that is trusted says whether the browser uses TLS; anybody else does not.
func TestCookiesBehindAProxyThatEndsTLS(t *testing.T) {
	const address = "http://localhost:$PORT"
	cookies := func(t *testing.T, option string) []string {
		t.Helper()
		s := run(t, option+`
			http://localhost:$PORT {
				`+browsing+`
			}`).Ready()
		_, set := s.Viewed(address, address+"/", "", "X-Forwarded-Proto", "https", "X-Forwarded-For", "203.0.113.7")
		return append(set, s.Get(address+"/?utm_source=news", "X-Forwarded-Proto", "https").Header.Values("Set-Cookie")...)
	}
	t.Run("that nobody trusts", func(t *testing.T) {
		set := cookies(t, option)
		require.Len(t, set, 2)
		require.Regexp(t, `^svc_v=`, set[0])
		require.Regexp(t, `^svc_src=`, set[1])
		require.NotContains(t, set[0]+set[1], "Secure")
	})
	t.Run("that is trusted", func(t *testing.T) {
		set := cookies(t, strings.Replace(option, "{", `{
			servers {
				trusted_proxies static 127.0.0.1/32 ::1/128
				trusted_proxies_strict
			}`, 1))
		require.Len(t, set, 2)
		require.Regexp(t, `^__Host-svc_v=.*; Path=/;.*; Secure;`, set[0])
		require.Regexp(t, `^__Host-svc_src=.*; Path=/;.*; Secure;`, set[1])
	})
}
