package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The visitor of an advertisement keeps the number on the next pages; everybody
// else sees the page's own.
func TestNumberStaysOnLaterPages(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	const printed, shown = `href="tel:+74951234567">+7&nbsp;(495)&nbsp;123-45-67`, `href="tel:+74957654321">+7&nbsp;(495)&nbsp;765-43-21`

	neutral, page := ask(t, http.MethodGet, p.shop+"/terms.html")
	require.Contains(t, page, printed)
	require.Nil(t, sourceCookie(neutral))
	require.Contains(t, neutral.Header.Values("Vary"), "Cookie")

	first, page := ask(t, http.MethodGet, p.shop+"/?utm_source=newsletter")
	require.Contains(t, page, shown)
	require.NotContains(t, page, printed)
	cookie := sourceCookie(first)
	require.NotNil(t, cookie)
	require.True(t, cookie.HttpOnly)
	require.False(t, cookie.Secure) // over http
	require.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
	require.Equal(t, "/", cookie.Path)
	require.Empty(t, cookie.Domain)
	require.Equal(t, int((400 * 24 * time.Hour).Seconds()), cookie.MaxAge)

	remembered := cookie.Name + "=" + cookie.Value
	later, page := ask(t, http.MethodGet, p.shop+"/terms.html", "Cookie", "theme=dark; "+remembered)
	require.Contains(t, page, shown)
	require.NotContains(t, page, printed)
	require.Nil(t, sourceCookie(later))

	// Another campaign has no number of its own.
	other, page := ask(t, http.MethodGet, p.shop+"/terms.html?utm_source=shop-window", "Cookie", remembered)
	require.Contains(t, page, printed)
	require.NotContains(t, page, shown)
	if forgotten := sourceCookie(other); forgotten != nil {
		_, page = ask(t, http.MethodGet, p.shop+"/terms.html", "Cookie", forgotten.Name+"="+forgotten.Value)
		require.Contains(t, page, printed)
	}

	// What is no cookie of ours says nothing.
	for _, value := range []string{"", "news", cookie.Value[1:], cookie.Value + "A", strings.Repeat("A", 5000)} {
		_, page = ask(t, http.MethodGet, p.shop+"/terms.html", "Cookie", cookie.Name+"="+value)
		require.Contains(t, page, printed, value)
	}
}

// Each set of numbers is a page of its own to browsers, and no shared cache keeps it.
func TestPagesOfSourcesHaveValidatorsOfTheirOwn(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	entry, _ := ask(t, http.MethodGet, p.shop+"/?utm_source=news")
	remembered := sourceCookie(entry).String()
	remembered, _, _ = strings.Cut(remembered, ";")

	neutral, _ := ask(t, http.MethodGet, p.shop+"/contacts.html")
	changed, _ := ask(t, http.MethodGet, p.shop+"/contacts.html", "Cookie", remembered)
	require.NotEmpty(t, neutral.Header.Get("ETag"))
	require.NotEmpty(t, changed.Header.Get("ETag"))
	require.NotEqual(t, neutral.Header.Get("ETag"), changed.Header.Get("ETag"))
	require.Equal(t, "private", changed.Header.Get("Cache-Control"))
	require.Contains(t, changed.Header.Values("Vary"), "Cookie") // for the browser's own cache
	require.NotContains(t, neutral.Header.Get("Cache-Control"), "private")

	for _, again := range []struct {
		etag, cookie string
		status       int
	}{
		{neutral.Header.Get("ETag"), "", http.StatusNotModified},
		{neutral.Header.Get("ETag"), remembered, http.StatusOK},
		{changed.Header.Get("ETag"), "", http.StatusOK},
		{changed.Header.Get("ETag"), remembered, http.StatusNotModified},
		{neutral.Header.Get("ETag") + ", " + changed.Header.Get("ETag"), remembered, http.StatusNotModified},
	} {
		response, body := ask(t, http.MethodGet, p.shop+"/contacts.html", "If-None-Match", again.etag, "Cookie", again.cookie)
		require.Equal(t, again.status, response.StatusCode, "%+v", again)
		if again.status == http.StatusNotModified {
			require.Empty(t, body)
			require.Equal(t, again.cookie == "", !strings.Contains(response.Header.Get("Cache-Control"), "private"))
		}
	}

	// The coding is of no account for what follows, but it would add to the ETag.
	plain := []string{"Cookie", remembered, "Accept-Encoding", "identity"}
	whole, page := ask(t, http.MethodGet, p.shop+"/contacts.html", plain...)
	head, nothing := ask(t, http.MethodHead, p.shop+"/contacts.html", plain...)
	require.Equal(t, http.StatusOK, head.StatusCode)
	require.NotEmpty(t, page)
	require.Empty(t, nothing)
	for _, name := range []string{"ETag", "Cache-Control", "Content-Type", "Vary"} {
		require.Equal(t, whole.Header.Values(name), head.Header.Values(name), name)
	}
	require.Contains(t, []string{"", strconv.Itoa(len(page))}, head.Header.Get("Content-Length"))
}

// What is behind Frontdesk, a cache maybe, gets the same request for every visitor.
func TestOriginSeesTheNeutralRequest(t *testing.T) {
	t.Parallel()
	var (
		mu   sync.Mutex
		seen []http.Header
	)
	const html = "<!doctype html><html><head><title>Lamps</title></head><body>+7 495 123-45-67</body></html>"
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Header.Clone())
		mu.Unlock()
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("ETag", `"v1"`)
		h.Set("Cache-Control", "public, max-age=60, s-maxage=3600")
		h.Set("Surrogate-Control", "max-age=3600")
		h.Set("CDN-Cache-Control", "max-age=3600")
		if strings.Contains(r.Header.Get("If-None-Match"), `"v1"`) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, html)
	}))
	defer origin.Close()
	last := func() http.Header {
		mu.Lock()
		defer mu.Unlock()
		return seen[len(seen)-1]
	}
	p := runProgram(t, `http://localhost:8080 {
	frontdesk shop {
		number 74951234567 {
			static 74957654321 utm_source=news
		}
		prerender static
	}
	reverse_proxy `+origin.Listener.Addr().String()+`
}
`, "")

	entry, page := ask(t, http.MethodGet, p.shop+"/?utm_source=news", "Cookie", "theme=dark")
	require.Contains(t, page, "+7 495 765-43-21</body>")
	require.Equal(t, "theme=dark", last().Get("Cookie"))
	cookie := sourceCookie(entry)
	require.NotNil(t, cookie)
	for _, name := range []string{"Surrogate-Control", "CDN-Cache-Control"} {
		require.Empty(t, entry.Header.Get(name), name)
	}
	require.Contains(t, entry.Header.Get("Cache-Control"), "private")
	require.NotContains(t, entry.Header.Get("Cache-Control"), "public")
	require.NotContains(t, entry.Header.Get("Cache-Control"), "s-maxage")

	remembered := cookie.Name + "=" + cookie.Value
	_, page = ask(t, http.MethodGet, p.shop+"/", "Cookie", "theme=dark; "+remembered+"; size=2")
	require.Contains(t, page, "+7 495 765-43-21</body>")
	require.Equal(t, "theme=dark; size=2", last().Get("Cookie"))
	changed, _ := ask(t, http.MethodGet, p.shop+"/", "Cookie", remembered)
	require.Empty(t, last().Values("Cookie"))

	// A copy of the other source's page is no reason for the origin to send none.
	neutral, page := ask(t, http.MethodGet, p.shop+"/", "If-None-Match", changed.Header.Get("ETag"))
	require.Equal(t, http.StatusOK, neutral.StatusCode)
	require.Contains(t, page, "+7 495 123-45-67</body>")
	require.Empty(t, last().Values("If-None-Match"))
	require.Equal(t, "public, max-age=60, s-maxage=3600", neutral.Header.Get("Cache-Control"))
	require.Contains(t, neutral.Header.Values("Vary"), "Cookie")

	kept, _ := ask(t, http.MethodGet, p.shop+"/", "If-None-Match", changed.Header.Get("ETag"), "Cookie", remembered)
	require.Equal(t, http.StatusNotModified, kept.StatusCode)
	require.Equal(t, `"v1"`, last().Get("If-None-Match"))
	require.Contains(t, kept.Header.Get("Cache-Control"), "private")
}

// sourceCookie is the cookie that remembers the source, if the answer sets it.
func sourceCookie(response *http.Response) *http.Cookie {
	for _, cookie := range response.Cookies() {
		if cookie.Name == "svc_src" {
			return cookie
		}
	}
	return nil
}
