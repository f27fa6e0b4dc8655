package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Tabs that are opened at once in a new browser are one visitor, and one visit.
func TestTabsOpenedAtOnceAreOneVisitor(t *testing.T) {
	t.Parallel()
	p := runVariant(t, "A")
	shop, err := url.Parse(p.shop)
	require.NoError(t, err)
	through := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(shop); r.Out.Host = r.In.Host }}
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/v1/hit") { // those of several tabs are under way together
			time.Sleep(200 * time.Millisecond)
		}
		through.ServeHTTP(w, r)
	}))
	defer slow.Close()
	address := strings.Replace(slow.URL, "127.0.0.1", "localhost", 1)

	first := newTab(t)
	first.visit("about:blank")
	tabs := []*tab{first}
	for range 3 {
		tabs = append(tabs, first.beside("about:blank"))
	}
	var opening sync.WaitGroup
	for _, b := range tabs {
		b.before(heldClock) // a tab waits for its turn however long the others take
		opening.Go(func() {
			_, err := chromedp.Call(b.ctx, page.Navigate, page.NavigateParams{URL: address + "/"})
			if err != nil {
				t.Error(err)
			}
		})
	}
	opening.Wait()
	visitors, visits, views := make(map[any]bool), make(map[any]bool), make(map[any]bool)
	for _, b := range tabs {
		b.until(`window.Svc && Svc.getCredentials().hit_id`)
		ids := value[map[string]any](b, "Svc.getCredentials()")
		visitors[ids["visitor_id"]], visits[ids["session_id"]], views[ids["hit_id"]] = true, true, true
	}
	require.Len(t, visitors, 1)
	require.Len(t, visits, 1)
	require.Len(t, views, len(tabs))
}
