package page_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// unmet is a code whose visitors are not known before they are asked for.
func unmet(c numbered) numbered { return numbered{c.Code, snippet.Shown{}} }

// arriving are visits of one visitor, who is shown the numbers, and how often they were asked for.
func arriving(shown snippet.Shown) (v page.Visit, asked *int) {
	asked = new(int)
	shown.Lease([]snippet.Lease{{Lasting: time.Minute, Alone: true}})
	v.Arrive = func() snippet.Arrival {
		*asked++
		return snippet.Arrival{View: "VIEW", Shown: &shown, SetCookie: "svc_v=1", Credentials: &snippet.Credentials{
			SiteKey: "лампы.example", Key: "k", URI: `https://shop.example/?</script>"`, Visitor: 1, View: 2, Visit: 3}}
	}
	return v, asked
}

const beginVisit = `<script type="application/json" data-svc-visit>`

// visitOf takes the visit out of a page: the fields of its block, and the page without it.
func visitOf(t *testing.T, body string) (fields map[string]any, rest string) {
	t.Helper()
	before, block, found := strings.Cut(body, beginVisit)
	require.True(t, found, body)
	content, after, found := strings.Cut(block, "</script>")
	require.True(t, found)
	require.Equal(t, len(content), utf8.RuneCountInString(content), "ASCII, for pages in any charset")
	require.NoError(t, json.Unmarshal([]byte(content), &fields))
	return fields, before + after
}

// However a page comes, its visit is asked for once, and stands in front of the code. The page has its numbers.
func TestPageWithItsVisit(t *testing.T) {
	c := shopCode(t)
	want := strings.ReplaceAll(numberedPage, "<p class=phone>"+oldNumber, "<p class=phone>"+newNumber)
	for i := range numberedPage {
		v, asked := arriving(c.shown)
		response, body, result := visited(t, unmet(c), get("/"), v, htmlType.Clone(), numberedPage[:i], numberedPage[i:])
		require.Equal(t, 1, *asked)
		require.Equal(t, page.Woven, result.Outcome)
		fields, rest := visitOf(t, body)
		require.Contains(t, body, "</script><script>var __cs")
		require.Equal(t, "VIEW", fields["view"])
		require.Equal(t, "лампы.example", fields["site_key"])
		require.Equal(t, `https://shop.example/?</script>"`, fields["uri"])
		require.EqualValues(t, 6, fields["visitor_id"].(float64)+fields["hit_id"].(float64)+fields["session_id"].(float64))
		require.Len(t, fields["numbers"], 2)
		got, block := split(t, rest)
		require.Equal(t, strings.ReplaceAll(want, "<title>"+oldNumber, "<title>"+newNumber), got)
		require.Contains(t, block, `{"numbers":[],`, "they stand in front already")
		require.Equal(t, []string{"svc_v=1"}, response.Header["Set-Cookie"])
		require.Equal(t, "private, no-cache", response.Header.Get("Cache-Control"))
	}
}

// What a proxy flushes before it breaks off reaches the client, though the place was not found until then, or a tag is not whole.
func TestPageThatBreaksOff(t *testing.T) {
	c := shopCode(t)
	with, asked := arriving(c.shown)
	for name, v := range map[string]page.Visit{"with its visit": with, "without": {}} {
		for _, begins := range []string{"<html><head><title>Lam", "<!doctype html><html><head", "<html><he"} {
			recorder := httptest.NewRecorder()
			require.PanicsWithValue(t, http.ErrAbortHandler, func() {
				_, _ = page.Serve(unmet(c).Code, recorder, get("/"), v, func(w http.ResponseWriter, _ *http.Request) error {
					w.Header().Set("Content-Type", "text/html; charset=utf-8")
					_, _ = io.WriteString(w, begins)
					require.NoError(t, http.NewResponseController(w).Flush())
					panic(http.ErrAbortHandler)
				})
			})
			require.Zero(t, *asked)
			require.Equal(t, begins, recorder.Body.String(), name)
			require.True(t, recorder.Flushed)
		}
	}
}

// Proxies flush before a page of unknown length begins, and after each piece. That waits for the place, and is made up for then.
func TestFlushedPageWithItsVisit(t *testing.T) {
	c := shopCode(t)
	for i := range numberedPage {
		v, asked := arriving(c.shown)
		recorder := httptest.NewRecorder()
		_, err := page.Serve(unmet(c).Code, recorder, get("/"), v, func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(http.StatusOK)
			for _, piece := range []string{"", numberedPage[:i], numberedPage[i:]} {
				_, _ = io.WriteString(w, piece)
				require.NoError(t, http.NewResponseController(w).Flush())
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, 1, *asked)
		require.True(t, recorder.Flushed)
		_, rest := visitOf(t, recorder.Body.String())
		require.Contains(t, rest, "<p class=phone>"+newNumber)
	}
}

func TestCompressedPageWithItsVisit(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, numberedPage)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	c := shopCode(t)
	v, asked := arriving(c.shown)
	_, body, _ := visited(t, unmet(c), get("/"), v, http.Header{"Content-Type": {"text/html"}, "Content-Encoding": {"gzip"}}, b.String()[:20], b.String()[20:])
	require.Equal(t, 1, *asked)
	_, rest := visitOf(t, body)
	require.Contains(t, rest, "<p class=phone>"+newNumber)
}

// Selectors that need the whole page are applied with the numbers of the visit.
func TestSelectorsOfAPageWithItsVisit(t *testing.T) {
	c := numberedCode(t, snippet.Number{Digits: "74951234567", Selectors: []string{"p:nth-child(1)"}, Tracking: []snippet.Tracking{{Digits: "74957654321"}}})
	v, _ := arriving(c.shown)
	_, body, result := visited(t, unmet(c), get("/"), v, htmlType.Clone(), "<!doctype html><html><head><title>a</title></head><body><p>call</p></body></html>")
	require.Contains(t, body, "<p>+7 495 765-43-21</p>")
	require.False(t, result.Unselected)
}

// What is not known in time the script finds out: the view it names, and the records stand at the page's end.
func TestPageWithAPartOfItsVisit(t *testing.T) {
	c := shopCode(t)
	for name, arrival := range map[string]snippet.Arrival{
		"nothing known in time": {View: "VIEW"},
		"numbers not known":     {View: "VIEW", Credentials: &snippet.Credentials{SiteKey: "shop"}},
	} {
		_, body, _ := visited(t, c, get("/"), page.Visit{Arrive: func() snippet.Arrival { return arrival }}, htmlType.Clone(), numberedPage)
		fields, rest := visitOf(t, body)
		require.Equal(t, "VIEW", fields["view"], name)
		require.NotContains(t, fields, "numbers")
		_, block := split(t, rest)
		require.Contains(t, block, `{"numbers":[{`)
		require.Contains(t, rest, newNumber, "what is known without it is shown")
	}
	h := htmlType.Clone()
	h["Etag"], h["Cache-Control"] = []string{`"one"`}, []string{"public, max-age=60"}
	response, body, _ := visited(t, c, get("/"), page.Visit{Arrive: func() snippet.Arrival { return snippet.Arrival{} }}, h, numberedPage)
	require.NotContains(t, body, beginVisit)
	require.Equal(t, "private, max-age=60", response.Header.Get("Cache-Control"))
	require.Empty(t, response.Header.Get("ETag"))
}

// A visit is asked for while the headers can still change, and for nothing but a page that gets the code.
func TestPagesWithoutTheirVisits(t *testing.T) {
	c := shopCode(t)
	long := "<!doctype html><!--" + strings.Repeat("long ", 20_000) + "--><html><head></head></html>"
	for name, page := range map[string]struct {
		header http.Header
		body   string
	}{
		"a place that comes late":   {htmlType, long},
		"a part of a page":          {htmlType, "<p>" + oldNumber + "</p>"},
		"the code already":          {htmlType, `<!doctype html><html><head><script async src="/a/svc.js"></script></head></html>`},
		"a policy":                  {http.Header{"Content-Type": {"text/html"}, "Content-Security-Policy": {"script-src 'none'"}}, numberedPage},
		"a policy in the page":      {htmlType, `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="script-src 'none'"></head></html>`},
		"another encoding":          {http.Header{"Content-Type": {"text/html; charset=utf-16"}}, numberedPage},
		"something else":            {http.Header{"Content-Type": {"application/json"}}, `{}`},
		"what is not to be changed": {http.Header{"Content-Type": {"text/html"}, "Cache-Control": {"no-transform"}}, numberedPage},
	} {
		v, asked := arriving(c.shown)
		_, body, _ := visited(t, unmet(c), get("/"), v, page.header.Clone(), slices.Collect(chunks(page.body, 8<<10))...)
		require.Zero(t, *asked, name)
		require.NotContains(t, body, beginVisit)
	}
	for _, method := range []string{http.MethodHead, http.MethodDelete} {
		v, asked := arriving(c.shown)
		r := get("/")
		r.Method = method
		visited(t, unmet(c), r, v, htmlType.Clone(), numberedPage)
		require.Zero(t, *asked, method)
	}
}
