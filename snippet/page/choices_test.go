package page

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
)

// A page that has been parsed is not parsed again, whatever is shown in it.
func TestChoicesAreRemembered(t *testing.T) {
	printed, err := snippet.NewPrinted([]snippet.Number{
		{Digits: "74951234567", Selectors: []string{"b:nth-child(2)"}, Tracking: []snippet.Tracking{{Digits: "74957654321"}, {Digits: "74957654322"}}},
		{Digits: "78123334455", Selectors: []string{"i:nth-child(3)"}, Tracking: []snippet.Tracking{{Digits: "78125556677"}}},
	})
	require.NoError(t, err)
	c := testCode(t)
	page := "<!doctype html><html><head><title>" + t.Name() + "</title></head><body><p>a</p><b>123-45-67</b><i>333-44-55</i></body></html>"
	served := func(page string, digits ...string) (string, Result) {
		recorder, result := write(c, printed.Show(digits, snippet.ForEveryone), httptest.NewRequest("GET", "/", nil), "", page)
		require.Equal(t, Woven, result.Outcome)
		return recorder.Body.String(), result
	}
	first, result := served(page, "74957654321")
	require.False(t, result.Unselected)
	require.Contains(t, first, "<b>+7 495 765-43-21</b><i>333-44-55</i>")

	// No page can be parsed now.
	for range cap(trees) {
		trees <- struct{}{}
	}
	defer func() {
		for range cap(trees) {
			<-trees
		}
	}()
	again, result := served(page, "74957654321")
	require.False(t, result.Unselected)
	require.Equal(t, first, again)
	other, _ := served(page, "74957654322")
	require.Contains(t, other, "<b>+7 495 765-43-22</b><i>333-44-55</i>")
	for _, unknown := range []struct {
		page   string
		digits []string
	}{{page, []string{"74957654321", "78125556677"}}, {strings.Replace(page, "<p>a", "<p>b", 1), []string{"74957654321"}}} {
		body, result := served(unknown.page, unknown.digits...)
		require.True(t, result.Unselected)
		require.True(t, result.Crowded)
		require.Contains(t, body, "<b>123-45-67</b>")
	}
}

// BenchmarkSamePage serves a page of 100 KB with a selector for which it has to be parsed when it is new.
func BenchmarkSamePage(b *testing.B) {
	shown := selecting(b)
	page := long(100 << 10)
	c, r := testCode(b), httptest.NewRequest("GET", "/", nil)
	for name, forget := range map[string]bool{"known": false, "new": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if forget {
					choices.Purge()
				}
				if _, result := write(c, shown, r, "", page); result.Unselected || result.Outcome != Woven {
					b.Fatal(result)
				}
			}
		})
	}
}
