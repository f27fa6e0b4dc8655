package post

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/capture/posted"
)

// The markup is that of the page that the browser names. The size of all markup is bounded.
func TestMarkupsOfPages(t *testing.T) {
	var m markups
	form := func(host, referer string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "http://"+host+"/contact", nil)
		r.Header.Set("Referer", referer)
		return r
	}
	markup := capture.ReadMarkup([]byte(`<meta charset=windows-1251><form><label>Phone <input name=a></label><input name=b></form>`), "text/html")
	require.Len(t, markup, 1)
	m.keep("shop", "/page", markup)
	sent := func(names ...string) (f posted.Form) {
		for _, name := range names {
			f.Fields = append(f.Fields, posted.Field{Name: name, Value: "1"})
		}
		return f
	}
	page := form("shop.example", "http://shop.example/page?utm_source=news")
	require.Equal(t, markup, m.formOf("shop", page, sent("a")))
	require.Equal(t, "windows-1251", m.charset("shop", page))
	require.Nil(t, m.formOf("other", page, sent("a", "b")))
	for _, elsewhere := range []string{"http://other.example/page", "http://shop.example/", "%", ""} {
		r := form("shop.example", elsewhere)
		require.Equal(t, "windows-1251", m.charset("shop", r))
		require.Nil(t, m.formOf("shop", r, sent("a")))
		require.Nil(t, m.formOf("shop", r, sent("c", "d")))
		require.Equal(t, markup, m.formOf("shop", r, sent("a", "b", "c")), "another page has such a form")
	}
	m.keep("shop", "/page", nil)
	require.Nil(t, m.formOf("shop", page, sent("a", "b")), "it has no form any more")
	require.Zero(t, m.size)

	large := capture.ReadMarkup([]byte(`<form>`+`<label>`+strings.Repeat("x", 100)+`<input name=`+strings.Repeat("n", 100)+`></label>`+`</form>`), "text/html")
	for i := range 30_000 {
		m.keep("shop", fmt.Sprintf("/p%d", i), large)
		require.LessOrEqual(t, m.size, maxMarkups)
	}
	require.Greater(t, len(m.sites["shop"].pages), 5000)
	require.NotNil(t, m.pageOf("shop", form("shop.example", "http://shop.example/p29999")))
	m.keep("other", "/", large)
	require.LessOrEqual(t, m.size, maxMarkups)
	require.NotNil(t, m.sites["other"])
}
