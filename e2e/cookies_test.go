package e2e

import (
	"crypto/tls"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// cookies are the tab's cookies for the address by their names.
func (b *tab) cookies(address string) map[string]*network.Cookie {
	b.t.Helper()
	got, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{address}})
	require.NoError(b.t, err)
	all := make(map[string]*network.Cookie)
	for _, cookie := range got.Cookies {
		all[cookie.Name] = cookie
	}
	return all
}

// A browser takes the prefixed cookies over TLS, keeps who it was before it had
// them, and is not led astray by other cookies of the name.
func TestCookiesInABrowserOverTLS(t *testing.T) {
	t.Parallel()
	const site = `
		frontdesk shop {
			prerender static
			number 74951234567 {
				static 74957654321 utm_source=news*
			}
		}
		header Content-Type "text/html; charset=utf-8"
		respond "<!doctype html><html><head><title>Lamps</title></head><body>+7 495 123-45-67</body></html>"`
	p := runProgram(t, `
{
	frontdesk
	skip_install_trust
	auto_https disable_redirects
}

http://localhost:8080 {`+site+`
}

https://localhost:8081 {
	tls internal`+site+`
}
`, "")
	plain, secure := p.shop, strings.Replace(p.origin, "http:", "https:", 1)
	require.Eventually(t, func() bool { // its certificate is made after the start
		conn, err := tls.Dial("tcp", strings.TrimPrefix(secure, "https://"), &tls.Config{InsecureSkipVerify: true})
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, patience, 20*time.Millisecond)
	open := func(b *tab, address string) float64 {
		t.Helper()
		b.visit(address)
		b.until(`window.Svc && Svc.getCredentials().hit_id`)
		return value[float64](b, "Svc.getVisitorId()")
	}
	newTab := func() *tab {
		t.Helper()
		b := newTab(t)
		_, err := chromedp.Call(b.ctx, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
		require.NoError(t, err)
		return b
	}

	b := newTab()
	visitor := open(b, secure+"/?utm_source=news")
	for _, name := range []string{"__Host-svc_v", "__Host-svc_src"} {
		cookie := b.cookies(secure)[name]
		require.NotNil(t, cookie, name)
		require.True(t, cookie.Secure && cookie.HTTPOnly)
		require.Equal(t, "localhost", cookie.Domain)
		require.Equal(t, "/", cookie.Path)
	}
	require.Len(t, b.cookies(secure), 2)
	b.do(`document.cookie = "svc_v=1.AAAAAAAAAAAAAAAAAAAAAA; path=/lamps"; document.cookie = "svc_src=x; path=/lamps"`)
	require.Eventually(t, func() bool { return len(b.cookies(secure+"/lamps")) == 4 }, patience, 20*time.Millisecond, "the browser keeps them beside the page")
	require.Equal(t, visitor, open(b, secure+"/lamps"))
	require.True(t, value[bool](b, contains("body", "+7 495 765-43-21")))

	// Cookies of a host are the same for all its ports.
	b = newTab()
	visitor = open(b, plain+"/?utm_source=news")
	before := b.cookies(plain)
	require.Contains(t, before, "svc_v")
	require.Contains(t, before, "svc_src")
	require.Equal(t, visitor, open(b, secure+"/"))
	require.True(t, value[bool](b, contains("body", "+7 495 765-43-21")))
	require.Equal(t, before["svc_v"].Value, b.cookies(secure)["__Host-svc_v"].Value)
	require.Equal(t, visitor, open(b, plain+"/"))
}
