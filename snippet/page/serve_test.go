package page_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

const (
	plainPage = "<!doctype html><html><head><meta charset=utf-8><title>a</title><script>b</script></head><body>c</body></html>"
	inline    = `<script>var __cs=__cs||[];__cs.push(["setCsAccount","key"]);</script><script async src="/frontdesk/svc.js"></script>`
	external  = `<script type="application/json" data-svc>{"queue":[["setCsAccount","key"]]}</script><script async src="/frontdesk/svc.js"></script>`
)

func code(t testing.TB) *snippet.Code {
	c, err := snippet.New(snippet.Settings{SiteKey: "key", Prefix: "/frontdesk/"})
	require.NoError(t, err)
	return c
}

// woven is what is expected of a page with the code before its first script.
func woven(markup, code string) string {
	i := strings.Index(markup, "<script>b")
	return markup[:i] + code + markup[i:]
}

// site is a server with the code woven into what an origin writes.
type site struct {
	*httptest.Server
	result chan page.Result
	err    chan error
}

func serve(t testing.TB, origin func(w http.ResponseWriter, r *http.Request) error) *site {
	c := code(t)
	s := &site{result: make(chan page.Result, 100), err: make(chan error, 100)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		result, err := page.Serve(c, w, r, page.Visit{Timed: true}, origin)
		s.result <- result
		s.err <- err
	}))
	s.Config.ErrorLog = nil
	t.Cleanup(s.Close)
	return s
}

func handler(h http.HandlerFunc) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		h(w, r)
		return nil
	}
}

// sends is an origin that sends this body in one piece, with its length.
func sends(body string, header ...string) func(http.ResponseWriter, *http.Request) error {
	return handler(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		_, _ = io.WriteString(w, body)
	})
}

// get sends a request as it is, without the transport's own compression.
func (s *site) get(t testing.TB, method string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, s.URL, nil)
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

func TestPageIsWoven(t *testing.T) {
	s := serve(t, sends(plainPage, "Accept-Ranges", "bytes", "Content-MD5", "a", "Digest", "b",
		"Content-Digest", "c", "Repr-Digest", "d", "Vary", "Accept", "X-Other", "e"))
	response, body := s.get(t, "GET")
	require.Equal(t, woven(plainPage, inline), body)
	require.EqualValues(t, len(body), response.ContentLength)
	for _, name := range []string{"Accept-Ranges", "Content-Md5", "Digest", "Content-Digest", "Repr-Digest"} {
		require.NotContains(t, response.Header, name)
	}
	require.Equal(t, []string{"Accept", "Sec-Fetch-Dest"}, response.Header["Vary"])
	require.Equal(t, "e", response.Header.Get("X-Other"))
	result := <-s.result
	require.Equal(t, page.Woven, result.Outcome)
	require.Positive(t, result.Spent)
}

func TestWhatIsNoPageForVisitorsPasses(t *testing.T) {
	for _, c := range []struct {
		outcome  page.Outcome
		method   string
		request  []string
		response []string
		body     string
	}{
		{outcome: page.Method, method: "POST"},
		{outcome: page.Method, method: "PUT", request: []string{"Sec-Fetch-Dest", "document"}},
		{outcome: page.Upgrade, request: []string{"Connection", "Upgrade", "Upgrade", "websocket"}},
		{outcome: page.NoTransform, request: []string{"Cache-Control", "no-cache, No-Transform"}},
		{outcome: page.FragmentRequest, request: []string{"HX-Request", "true"}},
		{outcome: page.FragmentRequest, request: []string{"Turbo-Frame", "a"}},
		{outcome: page.FragmentRequest, request: []string{"X-PJAX", "true"}},
		{outcome: page.FragmentRequest, request: []string{"X-Requested-With", "XMLHttpRequest"}},
		{outcome: page.FragmentRequest, request: []string{"Sec-Fetch-Dest", "empty"}},
		{outcome: page.Frame, request: []string{"Sec-Fetch-Dest", "iframe"}},
		{outcome: page.NotHTML, response: []string{"Content-Type", "application/xhtml+xml"}},
		{outcome: page.NotHTML, response: []string{"Content-Type", "text/event-stream"}},
		{outcome: page.NotHTML, response: []string{"Content-Type", "text/htmlx"}},
		{outcome: page.Attachment, response: []string{"Content-Disposition", `Attachment; filename="a.html"`}},
		{outcome: page.NoTransform, response: []string{"Cache-Control", "no-transform"}},
		{outcome: page.Encoding, response: []string{"Content-Encoding", "compress"}},
		{outcome: page.Encoding, response: []string{"Content-Encoding", "gzip, br"}},
		{outcome: page.Charset, response: []string{"Content-Type", `text/html; charset="UTF-16LE"`}},
		{outcome: page.CSP, response: []string{"Content-Security-Policy", "script-src 'none'"}},
		{outcome: page.CSP, body: `<html><meta http-equiv="Content-Security-Policy" content="script-src 'none'"><script>`},
		{outcome: page.Fragment, body: "<p>a"},
		{outcome: page.Frameset, body: "<html><frameset>"},
		{outcome: page.NoPlace, body: "<html><!-- "},
		{outcome: page.Already, body: "<html>" + inline},
		{outcome: page.Already, body: "<html>" + external},
	} {
		t.Run(fmt.Sprint(c.outcome, c.request, c.response, c.body), func(t *testing.T) {
			if c.method == "" {
				c.method = "GET"
			}
			if c.body == "" {
				c.body = plainPage
			}
			header := append([]string{"Accept-Ranges", "bytes", "Digest", "a"}, c.response...)
			s := serve(t, sends(c.body, header...))
			response, body := s.get(t, c.method, c.request...)
			require.Equal(t, c.body, body)
			require.EqualValues(t, len(body), response.ContentLength)
			require.Equal(t, "bytes", response.Header.Get("Accept-Ranges"))
			require.Equal(t, "a", response.Header.Get("Digest"))
			for i := 0; i < len(c.response); i += 2 {
				require.Equal(t, c.response[i+1], response.Header.Get(c.response[i]))
			}
			require.Equal(t, c.outcome, (<-s.result).Outcome)
		})
	}
}

func TestAnswersThatDependOnTheDestinationSaySo(t *testing.T) {
	s := serve(t, sends(plainPage))
	for _, dest := range []string{"document", "empty", "iframe"} {
		response, _ := s.get(t, "GET", "Sec-Fetch-Dest", dest)
		require.Equal(t, "Sec-Fetch-Dest", response.Header.Get("Vary"), dest)
	}
	s = serve(t, sends("a", "Content-Type", "text/css"))
	response, _ := s.get(t, "GET", "Sec-Fetch-Dest", "style")
	require.Empty(t, response.Header.Get("Vary"))
	s = serve(t, sends(plainPage, "Vary", "*"))
	response, _ = s.get(t, "GET")
	require.Equal(t, []string{"*"}, response.Header["Vary"])
}

func TestPageThatFollowsAFormIsWoven(t *testing.T) {
	s := serve(t, sends(plainPage))
	_, body := s.get(t, "POST", "Sec-Fetch-Dest", "document")
	require.Equal(t, woven(plainPage, inline), body)
}

func TestStatuses(t *testing.T) {
	for _, status := range []int{200, 201, 203, 401, 403, 404, 410, 500, 503} {
		s := serve(t, handler(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, plainPage)
		}))
		response, body := s.get(t, "GET")
		require.Equal(t, status, response.StatusCode)
		require.Equal(t, woven(plainPage, inline), body, status)
	}
	for _, status := range []int{204, 205, 301, 302, 304} {
		s := serve(t, handler(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Digest", "a")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, plainPage)
		}))
		response, body := s.get(t, "GET")
		require.Equal(t, status, response.StatusCode)
		require.NotContains(t, body, "__cs")
		require.Equal(t, "a", response.Header.Get("Content-Digest"))
		require.Equal(t, page.Status, (<-s.result).Outcome)
	}
}

// Whoever asks for a part gets what the origin gives: a part as it is, or a page with the code.
func TestPartsOfPages(t *testing.T) {
	var asked []http.Header
	s := serve(t, handler(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Clone())
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", `"a"`)
		http.ServeContent(w, r, "a.html", testTime, strings.NewReader(plainPage))
	}))
	hash := code(t).Mark(&snippet.Shown{})
	for _, c := range []struct {
		ifRange, want string
		outcome       page.Outcome
	}{
		{"", plainPage[:10], page.Range},
		{`"a"`, plainPage[:10], page.Range}, // of a copy without the code
		{`"b"`, woven(plainPage, inline), page.Woven},
		{`"a-` + hash + `"`, woven(plainPage, inline), page.Woven},
		{`"a-0000000000"`, woven(plainPage, inline), page.Woven}, // of another configuration
	} {
		header := []string{"Range", "bytes=0-9"}
		if c.ifRange != "" {
			header = append(header, "If-Range", c.ifRange)
		}
		_, body := s.get(t, "GET", header...)
		require.Equal(t, c.want, body, c.ifRange)
		require.Equal(t, c.outcome, (<-s.result).Outcome, c.ifRange)
	}
	require.Empty(t, asked[3]["Range"])
	require.Empty(t, asked[3]["If-Range"])
	require.NotEmpty(t, asked[1]["Range"])

	s = serve(t, sends(plainPage)) // knows no parts
	_, body := s.get(t, "GET", "Range", "bytes=0-9")
	require.Equal(t, woven(plainPage, inline), body)
}

func TestRequestIsRestored(t *testing.T) {
	c := code(t)
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Accept-Encoding", "gzip")
	r.Header.Set("If-None-Match", `"a-`+c.Mark(&snippet.Shown{})+`", "b"`)
	r.Header.Set("If-Modified-Since", "a")
	r.Header.Set("Range", "bytes=0-9")
	r.Header.Set("If-Range", `"a-`+c.Mark(&snippet.Shown{})+`"`)
	before := r.Header.Clone()
	_, err := page.Serve(c, httptest.NewRecorder(), r, page.Visit{}, handler(func(_ http.ResponseWriter, r *http.Request) {
		require.Equal(t, []string{"identity"}, r.Header["Accept-Encoding"])
		require.Equal(t, []string{`"a"`}, r.Header["If-None-Match"])
	}))
	require.NoError(t, err)
	require.Equal(t, before, r.Header)

	r = httptest.NewRequest("GET", "/", nil)
	require.Panics(t, func() {
		_, _ = page.Serve(c, httptest.NewRecorder(), r, page.Visit{}, handler(func(http.ResponseWriter, *http.Request) { panic("a") }))
	})
	require.NotContains(t, r.Header, "Accept-Encoding")
}

func TestOnlyPagesAreAskedForWithoutCompression(t *testing.T) {
	for accept, want := range map[string]string{"text/html,*/*;q=0.8": "identity", "text/css,*/*;q=0.1": "br", "*/*": "br"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		r.Header.Set("Accept-Encoding", "br")
		_, err := page.Serve(code(t), httptest.NewRecorder(), r, page.Visit{}, handler(func(_ http.ResponseWriter, r *http.Request) {
			require.Equal(t, want, r.Header.Get("Accept-Encoding"), accept)
		}))
		require.NoError(t, err)
	}
}

func TestHeadAgreesWithGet(t *testing.T) {
	s := serve(t, handler(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"a"`)
		w.Header().Set("Content-Type", "text/html")
		http.ServeContent(w, r, "a.html", testTime, strings.NewReader(plainPage))
	}))
	head, body := s.get(t, "HEAD")
	require.Empty(t, body)
	require.EqualValues(t, -1, head.ContentLength)
	get, _ := s.get(t, "GET")
	for _, name := range []string{"Etag", "Last-Modified", "Content-Type", "Vary", "Accept-Ranges", "Content-Encoding"} {
		require.Equal(t, get.Header[name], head.Header[name], name)
	}

	s = serve(t, sends(plainPage)) // writes its body to HEAD requests too
	head, _ = s.get(t, "HEAD")
	require.EqualValues(t, -1, head.ContentLength)
	require.Equal(t, page.Head, (<-s.result).Outcome)
}

func TestTypeIsFoundOutAsTheServerWould(t *testing.T) {
	write := func(pieces ...string) func(http.ResponseWriter, *http.Request) error {
		return handler(func(w http.ResponseWriter, _ *http.Request) {
			for _, piece := range pieces {
				_, _ = io.WriteString(w, piece)
			}
		})
	}
	s := serve(t, write("<!doc", plainPage[5:]))
	response, body := s.get(t, "GET")
	require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
	require.Equal(t, woven(plainPage, inline), body)

	long := plainPage + strings.Repeat("a", 1<<10)
	s = serve(t, write(long[:100], long[100:]))
	_, body = s.get(t, "GET")
	require.Equal(t, woven(long, inline), body)

	s = serve(t, write("just text"))
	response, body = s.get(t, "GET")
	require.Equal(t, "text/plain; charset=utf-8", response.Header.Get("Content-Type"))
	require.Equal(t, "just text", body)

	s = serve(t, handler(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		_, _ = io.WriteString(w, plainPage)
	}))
	response, body = s.get(t, "GET")
	require.NotContains(t, response.Header, "Content-Type")
	require.Equal(t, plainPage, body)
}

func TestAddressOfAnotherHostAsBase(t *testing.T) {
	sends := func(base string) func(http.ResponseWriter, *http.Request) error {
		return handler(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, `<html><base href="`+base+`"><script>b</script>`)
		})
	}
	for base, src := range map[string]string{
		"https://cdn.example/": "//shop.example/frontdesk/svc.js",
		" //cdn.example/":      "//shop.example/frontdesk/svc.js",
		`/\cdn.example/`:       "//shop.example/frontdesk/svc.js",
		"/a/":                  "/frontdesk/svc.js",
		"a/b:c":                "/frontdesk/svc.js",
	} {
		r := httptest.NewRequest("GET", "http://shop.example/", nil)
		w := httptest.NewRecorder()
		_, err := page.Serve(code(t), w, r, page.Visit{}, sends(base))
		require.NoError(t, err)
		require.Contains(t, w.Body.String(), ` src="`+src+`"`, base)

		r.Host = `a"b`
		w = httptest.NewRecorder()
		_, err = page.Serve(code(t), w, r, page.Visit{}, sends(base))
		require.NoError(t, err)
		require.NotContains(t, w.Body.String(), `a"b`)
	}
}

// TestOutcomesAreDocumented holds the list for hosting providers to be the one of
// the program.
func TestOutcomesAreDocumented(t *testing.T) {
	content, err := os.ReadFile("../../docs/pages.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(content), "\n## What is never touched\n")
	table, _, _ = strings.Cut(table, "\n## ")
	documented := []page.Outcome{page.Woven}
	for _, row := range regexp.MustCompile("(?m)^\\| `(.*?)` \\|").FindAllStringSubmatch(table, -1) {
		documented = append(documented, page.Outcome(row[1]))
	}
	require.Equal(t, page.Outcomes, documented)
}
