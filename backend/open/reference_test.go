package open_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
)

// The reference shows every operation with all that it takes, and needs nothing from elsewhere.
func TestReference(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		read := func(path string) *goquery.Document {
			response, err := http.Get(o.url + path)
			require.NoError(t, err)
			defer response.Body.Close()
			require.Equal(t, http.StatusOK, response.StatusCode, path)
			require.Contains(t, response.Header.Get("Content-Security-Policy"), "default-src 'none'")
			page, err := goquery.NewDocumentFromReader(response.Body)
			require.NoError(t, err)
			for _, attribute := range []string{"href", "src"} {
				page.Find("[" + attribute + "]").Each(func(_ int, at *goquery.Selection) {
					to := at.AttrOr(attribute, "")
					require.True(t, strings.HasPrefix(to, "/api/v1/") || strings.HasPrefix(to, "#"), to)
				})
			}
			require.Zero(t, page.Find("script").Length())
			return page
		}
		contents := read("/api/v1/")
		shown := make(map[string]*goquery.Selection)
		contents.Find("nav li a").Each(func(_ int, at *goquery.Selection) {
			read(at.AttrOr("href", "")).Find("section[id]").Each(func(_ int, of *goquery.Selection) { shown[of.AttrOr("id", "")] = of })
		})
		for id, op := range o.operations() {
			require.Contains(t, shown, id)
			text := shown[id].Text()
			require.Contains(t, text, op.path)
			require.Contains(t, text, op.Description)
			for _, p := range op.Parameters {
				require.Contains(t, text, p.Value.Name, id)
			}
		}
		response, err := http.Get(o.url + "/api/v1/reference/nothing")
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, http.StatusNotFound, response.StatusCode)
	})
}
