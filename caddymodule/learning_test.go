package caddymodule

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
)

// learnt waits until the site is known to show the numbers, and gives them by their
// digits.
func learnt(t *testing.T, site string, digits ...string) map[string]number.ShownNumber {
	t.Helper()
	shown := make(map[string]number.ShownNumber)
	require.Eventually(t, func() bool {
		desk, done, err := activeService(t).Use()
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
		clear(shown)
		for _, n := range list {
			shown[n.Digits] = n
		}
		for _, d := range digits {
			if _, found := shown[d]; !found {
				return false
			}
		}
		return true
	}, wait, tick)
	return shown
}

func TestNumbersOfPagesAreLearnt(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/last" {
			io.WriteString(w, "<!doctype html><p>8 800 555-35-35")
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
		http://:$PORT2 {
			frontdesk {host} {
				number 78005553535
			}
			reverse_proxy $PAGES
		}`, "$PAGES", strings.TrimPrefix(origin.URL, "http://"))).ready()

	// What is learnt is the origin's page, not what the visitor saw of it.
	require.Contains(t, s.get("http://localhost:$PORT/contacts?utm_source=news").body, "8 (495) 765-43-21, 8 (495) 765-43-21")
	shown := learnt(t, "shop", "74951234567", "74957654321")
	require.Len(t, shown, 2)
	require.Equal(t, "/contacts", shown["74951234567"].Example, "without the query")
	require.Equal(t, []number.Writing{{Text: "+74951234567", Place: "tel", Count: 1}, {Text: "8 (495) 123-45-67", Place: "text", Count: 1}},
		shown["74951234567"].Writings)

	// A part of a page, and what was asked for with a password, are left alone.
	s.get("http://localhost:$PORT/part", "X-Requested-With", "XMLHttpRequest")
	s.get("http://localhost:$PORT/secret", "Authorization", "Basic eDp5")
	_, err := s.do(http.MethodHead, "http://localhost:$PORT/head", "")
	require.NoError(t, err)
	s.get("http://localhost:$PORT/last")
	shown = learnt(t, "shop", "78005553535")
	require.Equal(t, 1, shown["74951234567"].Pages)

	// The console knows what the configuration says, of sites that it does not name
	// as soon as they have shown a page.
	desk, done, err := activeService(t).Use()
	require.NoError(t, err)
	defer done()
	require.Equal(t, []number.Declared{{Digits: "74951234567", Tracking: []string{"74957654321"}}}, desk.Numbers.Declared("shop"))
	require.Equal(t, []number.Declared{{Digits: "74951234567"}}, desk.Numbers.Declared("known.example"))
	_, err = desk.Sites.Provision(t.Context(), "other.example")
	require.NoError(t, err)
	require.Empty(t, desk.Numbers.Declared("other.example"))
	s.get("http://localhost:$PORT2/", "Host", "other.example")
	learnt(t, "other.example", "74951234567")
	require.Equal(t, []number.Declared{{Digits: "78005553535"}}, desk.Numbers.Declared("other.example"))
}

func TestPagesAreLookedAtNowAndThen(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	l := newLearner(nil, func() time.Time { return now })
	require.True(t, l.due("shop", "/"))
	require.False(t, l.due("shop", "/"))
	require.True(t, l.due("other", "/"))
	now = now.Add(lookEvery - 1)
	require.False(t, l.due("shop", "/"))
	now = now.Add(1)
	require.True(t, l.due("shop", "/"))

	// Of many pages a few are, and as time goes by a few more.
	now = now.Add(time.Minute)
	looks := func() (n int) {
		for i := range 1000 {
			if l.due("shop", fmt.Sprint("/", i)) {
				n++
			}
		}
		return n
	}
	require.Equal(t, looksAtOnce, looks())
	require.Zero(t, looks())
	now = now.Add(2 * time.Second)
	require.Equal(t, 2*looksASecond, looks())
}

// When nobody looks at the pages, no more are kept than the queue holds.
func TestPagesThatWaitAreBounded(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	l := newLearner(nil, func() time.Time { return now })
	h := new(Handler)
	ask := func(i int) func([]byte, string) {
		now = now.Add(time.Minute)
		return l.sampler(h, "shop", httptest.NewRequest(http.MethodGet, fmt.Sprint("/", i, "?secret=1"), nil))
	}
	early := ask(0)
	for i := range looksWaiting {
		sampler := ask(i + 1)
		require.NotNil(t, sampler)
		sampler([]byte("page"), "text/html")
	}
	require.Nil(t, ask(looksWaiting+1))
	early([]byte("page"), "text/html") // is dropped, and does not wait
	require.Len(t, l.queue, looksWaiting)
	require.Equal(t, "/1", (<-l.queue).path)
	ask(looksWaiting+2)(nil, "text/html")
	require.Len(t, l.queue, looksWaiting-1, "an empty page says nothing")
}

func TestRegionOfNumbers(t *testing.T) {
	require.Equal(t, "DE", (&Handler{region: "DE", Numbers: []Number{{Number: "74951234567"}}}).numberRegion())
	require.Equal(t, "RU", (&Handler{Numbers: []Number{{Number: "74951234567"}}}).numberRegion())
	require.Empty(t, new(Handler).numberRegion())
}
