package outlet_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
	"github.com/seed-3405227d/frontdesk/snippet/page/outlet"
)

// A page that has been parsed is not parsed again, whatever is shown in it.
func TestChoicesAreRemembered(t *testing.T) {
	printed, err := snippet.NewPrinted([]snippet.Number{
		{Digits: "74951234567", Selectors: []string{"b:nth-child(2)"}, Tracking: []snippet.Tracking{{Digits: "74957654321"}, {Digits: "74957654322"}}},
		{Digits: "78123334455", Selectors: []string{"i:nth-child(3)"}, Tracking: []snippet.Tracking{{Digits: "78125556677"}}},
	}, false)
	require.NoError(t, err)
	c := code(t)
	body := "<!doctype html><html><head><title>" + t.Name() + "</title></head><body><p>a</p><b>123-45-67</b><i>333-44-55</i></body></html>"
	served := func(sent string, digits ...string) (string, page.Result) {
		recorder, result := serve(c, printed.Show(digits, snippet.ForEveryone), sent)
		require.Equal(t, page.Woven, result.Outcome)
		return recorder.Body.String(), result
	}
	first, result := served(body, "74957654321")
	require.False(t, result.Unselected)
	require.Contains(t, first, "<b>+7 495 765-43-21</b><i>333-44-55</i>")

	// No page can be parsed now.
	for range cap(outlet.Trees) {
		outlet.Trees <- struct{}{}
	}
	defer func() {
		for range cap(outlet.Trees) {
			<-outlet.Trees
		}
	}()
	again, result := served(body, "74957654321")
	require.False(t, result.Unselected)
	require.Equal(t, first, again)
	other, _ := served(body, "74957654322")
	require.Contains(t, other, "<b>+7 495 765-43-22</b><i>333-44-55</i>")
	for _, unknown := range []struct {
		sent   string
		digits []string
	}{{body, []string{"74957654321", "78125556677"}}, {strings.Replace(body, "<p>a", "<p>b", 1), []string{"74957654321"}}} {
		got, result := served(unknown.sent, unknown.digits...)
		require.True(t, result.Unselected)
		require.True(t, result.Crowded)
		require.Contains(t, got, "<b>123-45-67</b>")
	}
}

// BenchmarkSamePage serves a page of 100 KB with a selector for which it has to be parsed when it is new.
func BenchmarkSamePage(b *testing.B) {
	shown := selecting(b)
	c, sent := code(b), printedPage+strings.Repeat("<p>+7 (495) 123-45-67</p>\n", 4000)
	for name, forget := range map[string]bool{"known": false, "new": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if forget {
					outlet.Choices.Purge()
				}
				if _, result := serve(c, shown, sent); result.Unselected || result.Outcome != page.Woven {
					b.Fatal(result)
				}
			}
		})
	}
}

const printedPage = "<!doctype html><html><head><meta charset=utf-8><title>a</title></head><body><p>+7 (495) 123-45-67</p><b class=tel>123-45-67</b></body></html>"

// selecting shows a number in whose places is one that a selector finds.
func selecting(t testing.TB) snippet.Shown {
	printed, err := snippet.NewPrinted([]snippet.Number{{Digits: "74951234567", Selectors: []string{"body > .tel:nth-child(2)"}, Tracking: []snippet.Tracking{{Digits: "74957654321"}}}}, false)
	require.NoError(t, err)
	return printed.Show([]string{"74957654321"}, snippet.ForEveryone)
}

func code(t testing.TB) *snippet.Code {
	c, err := snippet.New(snippet.Settings{SiteKey: "key", Prefix: "/frontdesk/"})
	require.NoError(t, err)
	return c
}

func serve(c *snippet.Code, shown snippet.Shown, body string) (*httptest.ResponseRecorder, page.Result) {
	recorder := httptest.NewRecorder()
	result, _ := page.Serve(c, recorder, httptest.NewRequest("GET", "/", nil), page.Visit{Shown: shown}, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/html")
		_, err := io.WriteString(w, body)
		return err
	})
	return recorder, result
}

// A page that has waited can be had as it came, even if it cannot be read.
func TestRestOfAPageThatCannotBeRead(t *testing.T) {
	shown := selecting(t)
	x := outlet.NewExchange(&shown, "utf-8", -1, time.Now, time.Now(), false)
	first, second := x.Take([]byte(printedPage), false)
	require.Empty(t, append(first, second...), "it waits")
	x.Spoil()
	more := strings.Repeat("<p>more", 80_000)
	require.Panics(t, func() { x.Take([]byte(more), false) })
	require.Equal(t, printedPage+more, string(bytes.Join(x.Rest(), nil)))
	x.Free()
}
