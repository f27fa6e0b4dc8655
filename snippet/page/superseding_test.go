package page_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

const (
	rivalPushes = `<script>var __cs = __cs || []; __cs.push(["setCsAccount", "Ab3-xY_7Ab3-xY_7Ab3-xY_7Ab3-xY_7"]);</script>`
	rivalLoader = `<script async src="https://app.other.example/static/cs.min.js"></script>`
	disarmed    = `<script type="text/plain" async src="https://app.other.example/static/cs.min.js"></script>`
)

// supersede has the code take the place of others.
func (n numbered) supersede(t testing.TB) numbered {
	c, err := snippet.New(snippet.Settings{SiteKey: "shop", Prefix: "/frontdesk/", Supersede: true})
	require.NoError(t, err)
	return numbered{c, n.shown}
}

// Another service's code is put out of action where ours is woven, however the page comes, with numbers and without.
func TestAnothersCodeIsSuperseded(t *testing.T) {
	for name, markup := range map[string]string{
		"in the head":    strings.Replace(numberedPage, "<title>", rivalPushes+"\n"+rivalLoader+"<title>", 1),
		"without pushes": strings.Replace(numberedPage, "<title>", rivalLoader+"<title>", 1),
		"at the end":     strings.Replace(numberedPage, "</body>", rivalPushes+rivalLoader+"</body>", 1),
		"of a long page": strings.Replace(numberedPage, "</body>", strings.Repeat("<p>text</p>\n", 40_000)+rivalPushes+rivalLoader+"</body>", 1),
	} {
		for kind, c := range map[string]numbered{"with numbers": shopCode(t), "without": numberedCode(t)} {
			t.Run(name+" "+kind, func(t *testing.T) {
				want := strings.Replace(markup, rivalLoader, disarmed, 1)
				if c.shown.Replaces() {
					want = strings.ReplaceAll(want, oldNumber, newNumber)
				}
				at := strings.Index(want, "<script")
				if end := strings.Index(want, "</head>"); at > end {
					at = end
				}
				for _, size := range []int{1, 100, 4096, 1 << 20} {
					if len(markup)/size > 10_000 {
						continue
					}
					var pieces []string
					for piece := range chunks(markup, size) {
						pieces = append(pieces, piece)
					}
					header := http.Header{"Content-Type": {"text/html; charset=utf-8"}, "Content-Length": {strconv.Itoa(len(markup))}}
					var sample []byte
					v := page.Visit{Sample: func(origin []byte, _ string, _ bool) { sample = origin }}
					response, body, result := visited(t, c.supersede(t), get("/"), v, header, pieces...)
					require.Equal(t, page.Woven, result.Outcome)
					require.True(t, strings.HasPrefix(body[at:], "<script>var __cs=__cs||[];"), "%.300s", body[at:])
					code := body[at : at+strings.Index(body[at:], `svc.js"></script>`)+len(`svc.js"></script>`)]
					rest := body[:at] + body[at+len(code):]
					if c.shown.Replaces() {
						rest, _, _ = strings.Cut(rest, `<script type="application/json" data-svc-numbers>`)
					}
					require.Equal(t, want, rest)
					if length := response.Header.Get("Content-Length"); length != "" {
						require.Equal(t, strconv.Itoa(len(body)), length)
					}
					if len(markup) < 256<<10 {
						require.Equal(t, markup, string(sample), "the sample is what the origin has sent")
					}
				}
			})
		}
	}
}

// Where ours is not woven, theirs stays.
func TestAnothersCodeStays(t *testing.T) {
	both := rivalPushes + rivalLoader
	whole := strings.Replace(numberedPage, "<title>", both+"<title>", 1)
	for name, c := range map[string]struct {
		header http.Header
		markup string
		want   page.Outcome
		code   numbered
	}{
		"in a fragment":              {htmlType, "<p>a</p>" + both, page.Fragment, numberedCode(t).supersede(t)},
		"in a page that forbids us":  {http.Header{"Content-Type": htmlType["Content-Type"], "Content-Security-Policy": {"script-src https://app.other.example"}}, whole, page.CSP, numberedCode(t).supersede(t)},
		"in a page in UTF-16":        {http.Header{"Content-Type": {"text/html; charset=utf-16"}}, whole, page.Charset, numberedCode(t).supersede(t)},
		"in a page that has ours":    {htmlType, strings.Replace(whole, both, `<script async src="/frontdesk/svc.js?k=shop"></script>`+both, 1), page.Already, numberedCode(t).supersede(t)},
		"where it is not superseded": {htmlType, whole, page.Already, numberedCode(t)},
	} {
		t.Run(name, func(t *testing.T) {
			_, body, result := visited(t, c.code, get("/"), page.Visit{}, c.header, c.markup)
			require.Equal(t, c.want, result.Outcome)
			require.Equal(t, c.markup, body)
		})
	}
}

// A page that carries the code already is sampled as far as it was read.
func TestSampleOfAPageWithACode(t *testing.T) {
	whole := strings.Replace(numberedPage, "<title>", rivalPushes+rivalLoader+"<title>", 1)
	var sample string
	v := page.Visit{Sample: func(origin []byte, _ string, all bool) {
		require.False(t, all)
		sample = string(origin)
	}}
	_, body, result := visited(t, numberedCode(t), get("/"), v, htmlType, whole, strings.Repeat("a", 300<<10))
	require.Equal(t, page.Already, result.Outcome)
	require.Equal(t, whole, sample)
	require.Equal(t, whole+strings.Repeat("a", 300<<10), body)
}

// A page whose inline scripts are forbidden keeps them, since their hashes may count.
func TestInlineLoadersUnderPolicies(t *testing.T) {
	markup := strings.Replace(numberedPage, "<title>", `<script>load("https://app.other.example/static/cs.min.js")</script><title>`, 1)
	changed := strings.Replace(markup, "https://app.other.example/static/cs.min.js", "/frontdesk/svc.js?k=shop", 1)
	for policy, want := range map[string]string{"": changed, "script-src 'self' 'unsafe-inline'": changed, "script-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='": markup} {
		_, body, result := visited(t, numberedCode(t).supersede(t), get("/"), page.Visit{}, http.Header{"Content-Type": htmlType["Content-Type"], "Content-Security-Policy": {policy}}, markup)
		require.Equal(t, page.Woven, result.Outcome)
		from, end := strings.Index(body, "<script"), strings.Index(body, `svc.js"></script>`)+len(`svc.js"></script>`)
		require.Equal(t, want, body[:from]+body[end:], policy)
	}
}

// Where the origin breaks off, the page does not look whole. Where it fails, what has come goes out as it was.
func TestSupersededPageCutShort(t *testing.T) {
	markup := strings.Replace(numberedPage, "</body>", rivalPushes+rivalLoader+strings.Repeat("<p>a</p>", 30_000)+"<script", 1)
	for name, c := range map[string]numbered{"with numbers": shopCode(t).supersede(t), "without": numberedCode(t).supersede(t)} {
		t.Run(name, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			require.PanicsWithValue(t, http.ErrAbortHandler, func() {
				_, _ = c.Serve(recorder, get("/"), page.Visit{}, func(w http.ResponseWriter, _ *http.Request) error {
					w.Header().Set("Content-Type", "text/html")
					w.Header().Set("Content-Length", strconv.Itoa(len(markup)+100))
					_, _ = io.WriteString(w, markup)
					return nil
				})
			})
			require.True(t, strings.HasSuffix(recorder.Body.String(), "<p>a</p><script</html>"), "what has come goes out")
			recorder = httptest.NewRecorder()
			failed := errors.New("failed")
			_, err := c.Serve(recorder, get("/"), page.Visit{}, func(w http.ResponseWriter, _ *http.Request) error {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, markup)
				return failed
			})
			require.ErrorIs(t, err, failed)
			require.True(t, strings.HasSuffix(recorder.Body.String(), "<p>a</p><script</html>"), "what has come goes out")
		})
	}
}

// The validators of pages differ by whether another's code is superseded.
func TestValidatorsOfSupersededPages(t *testing.T) {
	tag := func(c numbered) string {
		header := http.Header{"Content-Type": {"text/html"}, "Etag": {`"a"`}}
		response, _, _ := visited(t, c, get("/"), page.Visit{}, header, numberedPage)
		return response.Header.Get("Etag")
	}
	c := numberedCode(t)
	require.NotEqual(t, tag(c), tag(c.supersede(t)))
}
