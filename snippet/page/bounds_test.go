package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page/budget"
)

const printedPage = "<!doctype html><html><head><meta charset=utf-8><title>a</title></head><body><p>+7 (495) 123-45-67</p><b class=tel>123-45-67</b></body></html>"

// selecting shows a tracking number, also at a selector.
func selecting(t testing.TB) snippet.Shown {
	printed, err := snippet.NewPrinted([]snippet.Number{{Digits: "74951234567", Selectors: []string{"body > .tel:nth-child(2)"}, Tracking: []snippet.Tracking{{Digits: "74957654321"}}}}, false)
	require.NoError(t, err)
	return printed.Show([]string{"74957654321"}, snippet.ForEveryone)
}

// unsearchable shows numbers over which every page breaks.
func unsearchable(t testing.TB) snippet.Shown {
	shown := selecting(t)
	shown.Idle().New = func() any { panic("unsearchable") }
	return shown
}

func testCode(t testing.TB) *snippet.Code {
	c, err := snippet.New(snippet.Settings{SiteKey: "key", Prefix: "/frontdesk/"})
	require.NoError(t, err)
	return c
}

// write answers a request with these pieces of a page.
func write(c *snippet.Code, shown snippet.Shown, r *http.Request, coding string, pieces ...string) (*httptest.ResponseRecorder, Result) {
	recorder := httptest.NewRecorder()
	result, _ := Serve(c, recorder, r, Visit{Shown: shown}, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/html")
		if coding != "" {
			w.Header().Set("Content-Encoding", coding)
		}
		for _, piece := range pieces {
			if _, err := io.WriteString(w, piece); err != nil {
				return err
			}
		}
		return nil
	})
	return recorder, result
}

// Once the client has gone, no more work is done on its page.
func TestNoWorkForAClientThatHasGone(t *testing.T) {
	long := printedPage + strings.Repeat("<p>+7 (495) 123-45-67", 100_000)
	c := testCode(t)
	for name, shown := range map[string]snippet.Shown{"code": {}, "numbers": selecting(t)} {
		for _, at := range []int{0, 30, 100, 300_000} {
			ctx, cancel := context.WithCancel(t.Context())
			r := httptest.NewRequest("GET", "/", nil).WithContext(ctx)
			recorder := httptest.NewRecorder()
			result, err := Serve(c, recorder, r, Visit{Shown: shown}, func(w http.ResponseWriter, _ *http.Request) error {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, long[:at])
				cancel()
				_, err := io.WriteString(w, long[at:])
				return err
			})
			require.NoError(t, err, name)
			body := recorder.Body.String()
			if name == "numbers" || at < 100 {
				require.Equal(t, Gone, result.Outcome, "%s %d", name, at)
			}
			require.True(t, strings.HasSuffix(body, long[max(at, 300):]), "%s %d: the rest is as it came", name, at)
		}
	}
}

// A panic of ours is told, with its place and its stack.
func TestFaultsAreTold(t *testing.T) {
	_, result := write(testCode(t), unsearchable(t), httptest.NewRequest("GET", "/", nil), "", printedPage)
	require.NotNil(t, result.Fault)
	require.Equal(t, "insert", result.Fault.Place)
	require.Contains(t, string(result.Fault.Stack), "NewExchange")
}

// What a writer around us does is its own, also while a fault of ours is being mended.
func TestPanicsOfWritersAroundAreTheirs(t *testing.T) {
	printed, err := snippet.NewPrinted([]snippet.Number{{Digits: "74951234567", Tracking: []snippet.Tracking{{Digits: "74957654321"}}}}, false)
	require.NoError(t, err)
	for _, shown := range []snippet.Shown{printed.Show([]string{"74957654321"}, snippet.ForEveryone), unsearchable(t)} {
		for left := range 6 {
			c := testCode(t)
			w := &failing{sink{make(http.Header)}, left}
			serve := func() {
				_, _ = Serve(c, w, httptest.NewRequest("GET", "/", nil), Visit{Shown: shown}, func(w http.ResponseWriter, _ *http.Request) error {
					w.Header().Set("Content-Type", "text/html")
					for i := range len(printedPage) {
						_, _ = io.WriteString(w, printedPage[i:i+1])
						_ = http.NewResponseController(w).Flush()
					}
					return nil
				})
			}
			require.PanicsWithValue(t, http.ErrAbortHandler, serve)
		}
	}
	allIsGivenBack(t, budget.Held, budget.MaxHeld)
}

// failing panics after some writes.
type failing struct {
	sink
	left int
}

func (f *failing) Write(p []byte) (int, error) {
	if f.left == 0 {
		panic(http.ErrAbortHandler)
	}
	f.left--
	return len(p), nil
}

func (f *failing) FlushError() error { return nil }

// Where all requests together hold what they may, a page goes out without what would have held it.
func TestNothingIsHeldAboveTheBudget(t *testing.T) {
	var zipped, brotlied bytes.Buffer
	z, b := gzip.NewWriter(&zipped), brotli.NewWriter(&brotlied)
	for _, w := range []io.WriteCloser{z, b} {
		_, err := io.WriteString(w, printedPage)
		require.NoError(t, errors.Join(err, w.Close()))
	}
	c, shown := testCode(t), selecting(t)
	r := func() *http.Request { return httptest.NewRequest("GET", "/", nil) }
	_, result := write(c, shown, r(), "", printedPage)
	require.False(t, result.Crowded || result.Unselected)

	others := budget.Share{Of: budget.Held}
	require.True(t, others.Reach(budget.MaxHeld))
	defer func() {
		others.Free()
		allIsGivenBack(t, budget.Held, budget.MaxHeld)
	}()

	recorder, result := write(c, shown, r(), "", printedPage)
	require.True(t, result.Crowded && result.Unselected)
	require.Equal(t, Woven, result.Outcome)
	require.Contains(t, recorder.Body.String(), "<p>+7 (495) 765-43-21</p><b class=tel>123-45-67</b>")

	recorder, result = write(testCode(t), snippet.Shown{}, r(), "", printedPage[:20], printedPage[20:])
	require.True(t, result.Crowded)
	require.Equal(t, Woven, result.Outcome)
	require.Contains(t, recorder.Body.String(), "svc.js")

	for coding, encoded := range map[string]string{"gzip": zipped.String(), "br": brotlied.String()} {
		recorder, result = write(testCode(t), snippet.Shown{}, r(), coding, encoded)
		require.True(t, result.Crowded, coding)
		require.Equal(t, Crowded, result.Outcome)
		require.Equal(t, encoded, recorder.Body.String())
	}
}

// A panic over a page that waits for its end lets go what has come of it.
func TestPanicOverAPageThatWaits(t *testing.T) {
	asked := 0
	recorder := httptest.NewRecorder()
	result, err := Serve(testCode(t), recorder, httptest.NewRequest("GET", "/", nil), Visit{Shown: selecting(t), Now: func() time.Time {
		if asked++; asked == 3 {
			panic("no time")
		}
		return time.Time{}
	}}, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/html")
		for range 3 {
			if _, err := io.WriteString(w, printedPage); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, Failed, result.Outcome)
	require.Equal(t, "replace", result.Fault.Place)
	require.Equal(t, strings.Repeat(printedPage, 3), recorder.Body.String())
}

func allIsGivenBack(t *testing.T, of *budget.Budget, all int) {
	t.Helper()
	whole := budget.Share{Of: of}
	require.True(t, whole.Reach(all), "all has been given back")
	whole.Free()
}
