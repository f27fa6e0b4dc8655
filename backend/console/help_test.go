package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// The documentation is read in the console: every page of it, and all that it links to in itself, is there.
func TestDocumentationIsInTheConsole(t *testing.T) {
	d := newDesk(t, dbtest.Open(t, dbtest.SQLite(t)))
	require.NoError(t, d.Operators.Add(t.Context(), "vera", password, operator.Admin))
	b := d.signedIn("vera")
	pages := make(map[string]*goquery.Document)
	var look func(from, path string)
	look = func(from, path string) {
		to, err := url.Parse(path)
		require.NoError(t, err)
		if _, seen := pages[to.Path]; !seen {
			got := b.get(to.Path)
			require.Equal(t, http.StatusOK, got.status, "%s, from %s", to.Path, from)
			if !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
				pages[to.Path] = nil
				return
			}
			pages[to.Path] = got.page(t)
			pages[to.Path].Find(".manual a, .manual img").Each(func(_ int, s *goquery.Selection) {
				link := s.AttrOr("href", s.AttrOr("src", ""))
				if strings.HasPrefix(link, "#") {
					link = to.Path + link
				}
				if strings.HasPrefix(link, "/") {
					look(to.Path, link)
				} else {
					require.Contains(t, link, "://", "in %s", to.Path)
				}
			})
		}
		if to.Fragment != "" {
			require.NotNil(t, pages[to.Path], path)
			require.Equal(t, 1, pages[to.Path].Find(`[id="`+to.Fragment+`"]`).Length(), "%s, from %s", path, from)
		}
	}
	look("", "/help")
	require.Greater(t, len(pages), 30)
	require.Equal(t, "The console", pages["/help/console"].Find(".manual h1").Text())

	// Each page of the console leads to what is said of it.
	for _, path := range []string{"/visitors", "/leads", "/leads/refused", "/leads/forms", "/chats", "/chats/waits", "/calls", "/callbacks", "/callbacks/new", "/numbers", "/numbers/1/new", "/numbers/1/who",
		"/numbers/pools", "/pools/1/new", "/sites", "/sites/1", "/sites/1/settings", "/sites/1/captures", "/sites/1/captures/new", "/sites/1/widget", "/sites/1/deliveries", "/sites/1/endpoints/new", "/sites/1/conversions", "/sites/1/conversions/new?as=ga4", "/sites/1/groups", "/sites/1/groups/new", "/sites/1/replies",
		"/operators", "/operators/1", "/history", "/person", "/account", "/lookup"} {
		to := b.document(path).Find(".guide").AttrOr("href", "")
		require.True(t, strings.HasPrefix(to, "/help/"), path)
		look(path, to)
	}
	require.Equal(t, http.StatusNotFound, b.get("/help/nowhere").status)
	require.Equal(t, http.StatusNotFound, b.get("/help/docs.go").status)
	require.Equal(t, http.StatusNotFound, b.get("/help/console.md").status)
	require.Equal(t, http.StatusSeeOther, d.browser().get("/help/console").status, "for operators")
}
