package system

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// learnt waits until the site is known to show the numbers, and gives them by their
// digits.
func learnt(t *testing.T, site string, digits ...string) map[string]inventory.PrintedNumber {
	t.Helper()
	printed := make(map[string]inventory.PrintedNumber)
	require.Eventually(t, func() bool {
		desk, done, err := caddymodule.Use()
		if err != nil {
			return false
		}
		defer done()
		known, err := desk.Sites.ByKey(t.Context(), site)
		if err != nil {
			return false
		}
		list, err := desk.Numbers.List(t.Context(), known.ID)
		require.NoError(t, err)
		clear(printed)
		for _, n := range list {
			printed[n.Digits] = n
		}
		for _, d := range digits {
			if _, found := printed[d]; !found {
				return false
			}
		}
		return true
	}, wait, tick)
	return printed
}

func TestNumbersOfPagesAreLearnt(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/last" {
			io.WriteString(w, "<!doctype html><p>8 800 555-35-35")
			return
		}
		if r.URL.Path == "/german" {
			io.WriteString(w, "<!doctype html><html lang=de><p>Tel. 030 901820")
			return
		}
		io.WriteString(w, `<!doctype html><p>8 (495) 123-45-67, 8 (495) 765-43-21, <a href="tel:+74951234567">call</a>`)
	}))
	t.Cleanup(origin.Close)
	s := run(t, strings.ReplaceAll(option+`
		http://localhost:$PORT {
			frontdesk shop {
				number 74951234567 {
					static 74957654321 utm_source=news
				}
				prerender static
			}
			reverse_proxy $PAGES
		}
		http://known.example:$PORT2 {
			frontdesk {
				number 74951234567
			}
			reverse_proxy $PAGES
		}
		http://lamps.example:$PORT2 {
			frontdesk
			reverse_proxy $PAGES
		}
		http://:$PORT2 {
			frontdesk {host} {
				number 78005553535
			}
			reverse_proxy $PAGES
		}`, "$PAGES", strings.TrimPrefix(origin.URL, "http://"))).Ready()

	// What is learnt is the origin's page, not what the visitor saw of it.
	require.Contains(t, s.Get("http://localhost:$PORT/contacts?utm_source=news").Content, "8 (495) 765-43-21, 8 (495) 765-43-21")
	printed := learnt(t, "shop", "74951234567", "74957654321")
	require.Len(t, printed, 2)
	require.Equal(t, "/contacts", printed["74951234567"].Example, "without the query")
	require.Equal(t, []inventory.Writing{{Text: "+74951234567", Place: "tel", Count: 1}, {Text: "8 (495) 123-45-67", Place: "text", Count: 1}},
		printed["74951234567"].Writings)

	// A site that writes national numbers alone tells its country by its language.
	s.Get("http://localhost:$PORT2/german", "Host", "lamps.example")
	learnt(t, "lamps.example", "4930901820")

	// A part of a page, and what was asked for with a password, are left alone.
	s.Get("http://localhost:$PORT/part", "X-Requested-With", "XMLHttpRequest")
	s.Get("http://localhost:$PORT/secret", "Authorization", "Basic eDp5")
	_, err := s.Do(http.MethodHead, "http://localhost:$PORT/head", "")
	require.NoError(t, err)
	s.Get("http://localhost:$PORT/last")
	printed = learnt(t, "shop", "78005553535")
	require.Equal(t, 1, printed["74951234567"].Pages)

	// The console knows what the configuration says, of sites that it does not name
	// as soon as they have shown a page.
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	defer done()
	declared := func(key string) []number.Declared {
		site, err := desk.Sites.ByKey(t.Context(), key)
		require.NoError(t, err)
		list, err := desk.Numbers.Declared(t.Context(), site.ID)
		require.NoError(t, err)
		return list
	}
	require.Equal(t, []number.Declared{{Digits: "74951234567", Tracking: []string{"74957654321"}}}, declared("shop"))
	require.Equal(t, []number.Declared{{Digits: "74951234567"}}, declared("known.example"))
	_, err = desk.Sites.Provision(t.Context(), "other.example")
	require.NoError(t, err)
	require.Empty(t, declared("other.example"))
	s.Get("http://localhost:$PORT2/", "Host", "other.example")
	learnt(t, "other.example", "74951234567")
	require.Equal(t, []number.Declared{{Digits: "78005553535"}}, declared("other.example"))
}
