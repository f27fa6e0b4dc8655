package page

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page/budget"
)

// writes notes each write of a page, and copies it.
type writes struct {
	*httptest.ResponseRecorder
	sizes []int
}

func (w *writes) Write(p []byte) (int, error) {
	w.sizes = append(w.sizes, len(p))
	return w.ResponseRecorder.Write(p)
}

// inPieces serves a page whose origin writes pieces of 32 KB, so much time apart, and does what is to be done before each but the
// first.
func inPieces(t *testing.T, shown snippet.Shown, page string, apart time.Duration, before func(w http.ResponseWriter)) *writes {
	t.Helper()
	now := time.UnixMilli(1_700_000_000_000)
	w := &writes{ResponseRecorder: httptest.NewRecorder()}
	result, err := Serve(testCode(t), w, httptest.NewRequest("GET", "/", nil), Visit{Shown: shown, Now: func() time.Time { return now }}, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", fmt.Sprint(len(page)))
		for at := 0; at < len(page); at += 32 << 10 {
			if at > 0 && before != nil {
				before(w)
			}
			now = now.Add(apart)
			if _, err := w.Write([]byte(page[at:min(len(page), at+32<<10)])); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, Woven, result.Outcome)
	return w
}

func streamed(t *testing.T) snippet.Shown {
	printed, err := snippet.NewPrinted([]snippet.Number{{Digits: "74951234567", Tracking: []snippet.Tracking{{Digits: "74957654321"}}}}, false)
	require.NoError(t, err)
	return printed.Show([]string{"74957654321"}, snippet.ForEveryone)
}

// long is a page of this length with numbers everywhere.
func long(length int) string {
	return (printedPage + strings.Repeat("<p>+7 (495) 123-45-67</p>\n", length/26))[:length]
}

// A page whose length the origin told goes out at once, with its new one; what is longer in large pieces.
func TestPagesGoOutAtOnce(t *testing.T) {
	shown := streamed(t)
	for _, length := range []int{1 << 10, 40 << 10, 100 << 10, 256 << 10} {
		w := inPieces(t, shown, long(length), 0, nil)
		require.Len(t, w.sizes, 1, length)
		require.Equal(t, fmt.Sprint(w.Body.Len()), w.Header().Get("Content-Length"))
		require.NotContains(t, w.Body.String()[:length/2], "+7 (495) 123-45-67", "numbers are replaced")
	}
	w := inPieces(t, shown, long(1<<20), 0, nil)
	require.LessOrEqual(t, len(w.sizes), 10)
	require.Empty(t, w.Header()["Content-Length"])
	require.Less(t, w.sizes[0], 128<<10, "the first bytes of a long page do not wait")

	require.Len(t, inPieces(t, snippet.Shown{}, long(20<<10), 0, nil).sizes, 1)
	w = inPieces(t, snippet.Shown{}, long(100<<10), 0, nil)
	require.Equal(t, 32<<10, w.sizes[len(w.sizes)-2], "what has no change is written as it came")
	allIsGivenBack(t, budget.Gathered, budget.MaxGathered)
}

// What an origin flushes goes on, and so does what comes too slowly.
func TestPagesThatComeSlowlyAreNotGathered(t *testing.T) {
	flush := func(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
	require.GreaterOrEqual(t, len(inPieces(t, streamed(t), long(128<<10), 0, flush).sizes), 3)
	require.GreaterOrEqual(t, len(inPieces(t, streamed(t), long(128<<10), time.Second, nil).sizes), 3)
	short := printedPage + strings.Repeat("a", 20<<10)
	w := &writes{ResponseRecorder: httptest.NewRecorder()}
	_, err := Serve(testCode(t), w, httptest.NewRequest("GET", "/", nil), Visit{}, func(rw http.ResponseWriter, _ *http.Request) error {
		rw.Header().Set("Content-Type", "text/html")
		rw.Header().Set("Content-Length", fmt.Sprint(len(short)))
		_, _ = rw.Write([]byte(short[:1000]))
		require.Zero(t, w.Body.Len())
		_ = http.NewResponseController(rw).Flush()
		require.Greater(t, w.Body.Len(), 1000)
		_, err := rw.Write([]byte(short[1000:]))
		return err
	})
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(w.Body.Len()), w.Header().Get("Content-Length"))
}

// Above the budget pages go out in small pieces, and lose nothing else.
func TestNothingIsGatheredAboveTheBudget(t *testing.T) {
	page := long(200 << 10)
	want := inPieces(t, streamed(t), page, 0, nil).Body.String()
	all := budget.Share{Of: budget.Gathered}
	require.True(t, all.Reach(budget.MaxGathered))
	defer all.Free()
	w := inPieces(t, streamed(t), page, 0, nil)
	require.Greater(t, len(w.sizes), 5)
	require.Equal(t, want, w.Body.String())
}
