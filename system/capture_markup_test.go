package system

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// What a page says of its form is known after a restart, also of a form that names no page: what its fields are, and in
// which character set it comes.
func TestMarkupOutlivesARestart(t *testing.T) {
	page, err := charmap.KOI8R.NewEncoder().String(`<!doctype html><html><head><meta charset=koi8-r><title>Лампы</title></head><body>
		<form method=post action=/send><label>Ваш телефон <input name=input_1></label><label>Как к вам обращаться <input name=input_2></label></form></body></html>`)
	require.NoError(t, err)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, page)
	}))
	t.Cleanup(origin.Close)
	source := filepath.Join(t.TempDir(), "frontdesk.db")
	n := runNode(t, `
		{
			frontdesk {
				database sqlite `+source+`
			}
		}
		http://localhost:$PORT {
			frontdesk shop {
				capture /send
			}
			reverse_proxy `+strings.TrimPrefix(origin.URL, "http://")+`
		}`)
	d := dbtest.Open(t, db.Settings{Engine: db.SQLite, Source: source})
	_, err = n.Do(http.MethodGet, "http://localhost:$PORT/contact", "", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "User-Agent", browser)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		kept, _, err := db.One(t.Context(), d.Read(), db.Only[string], `SELECT markup FROM page_markups WHERE path = '/contact'`)
		require.NoError(t, err)
		return kept != ""
	}, wait, tick)
	n.kill()
	n.launch()

	name, err := charmap.KOI8R.NewEncoder().String("иван")
	require.NoError(t, err)
	type kept struct{ name, phone string }
	tries := 0
	require.Eventually(t, func() bool { // the first may come before the markup has been read again
		tries++
		_, err = n.Do(http.MethodPost, "http://localhost:$PORT/send", "input_1=921+123+45+67&input_2="+url.QueryEscape(name),
			"Content-Type", formType, "User-Agent", fmt.Sprint(browser, tries))
		require.NoError(t, err)
		all, err := db.List(t.Context(), d.Read(), func(k *kept) []any { return []any{&k.name, &k.phone} }, `SELECT name, phone FROM leads`)
		require.NoError(t, err)
		return slices.Contains(all, kept{"иван", "921 123 45 67"})
	}, wait, 10*tick)
}
