package edge

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/capture"
)

// The markup is that of the page that the browser names. The size of all markup is bounded.
func TestMarkupsOfPages(t *testing.T) {
	var m markups
	form := func(host, referer string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "http://"+host+"/contact", nil)
		r.Header.Set("Referer", referer)
		return r
	}
	markup := capture.ReadMarkup([]byte(`<form><label>Phone <input name=a></label></form>`), "text/html")
	require.Len(t, markup, 1)
	m.keep("shop", "/page", markup)
	require.Equal(t, markup, m.of("shop", form("shop.example", "http://shop.example/page?utm_source=news")))
	require.Nil(t, m.of("shop", form("shop.example", "http://other.example/page")))
	require.Nil(t, m.of("other", form("shop.example", "http://shop.example/page")))
	require.Nil(t, m.of("shop", form("shop.example", "http://shop.example/")))
	require.Nil(t, m.of("shop", form("shop.example", "%")))
	m.keep("shop", "/page", nil)
	require.Nil(t, m.of("shop", form("shop.example", "http://shop.example/page")), "it has no form any more")
	require.Zero(t, m.size)

	large := capture.ReadMarkup([]byte(`<form>`+`<label>`+strings.Repeat("x", 100)+`<input name=`+strings.Repeat("n", 100)+`></label>`+`</form>`), "text/html")
	for i := range 100_000 {
		m.keep("shop", fmt.Sprintf("/%d", i), large)
		require.LessOrEqual(t, m.size, maxMarkups)
	}
	require.Greater(t, len(m.pages), 5000)
	require.NotNil(t, m.of("shop", form("shop.example", "http://shop.example/99999")))
}
