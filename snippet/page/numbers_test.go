package page_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

const (
	oldNumber = "+7 (495) 123-45-67"
	newNumber = "+7 (495) 765-43-21"
)

// shopNumbers are printed on the shop's pages.
var shopNumbers = []snippet.Number{{Digits: "74951234567", Targets: []string{".phone"}, Tracking: []snippet.Tracking{{Digits: "74957654321"}}}}

// numbered is a code whose visitors all are shown the same.
type numbered struct {
	*snippet.Code
	shown snippet.Shown
}

// numberedCode shows visitors of one source the first tracking numbers.
func numberedCode(t testing.TB, numbers ...snippet.Number) numbered {
	c, err := snippet.New(snippet.Settings{SiteKey: "shop", Prefix: "/frontdesk/"})
	require.NoError(t, err)
	printed, err := snippet.NewPrinted(numbers, false)
	require.NoError(t, err)
	var shown []string
	for _, n := range numbers {
		shown = append(shown, n.Tracking[0].Digits)
	}
	audience := snippet.ForSource
	if len(numbers) == 0 {
		audience = snippet.ForEveryone
	}
	return numbered{c, printed.Show(shown, audience)}
}

// shopCode shows the shop's tracking number.
func shopCode(t testing.TB) numbered { return numberedCode(t, shopNumbers...) }

// Serve serves the visit of somebody who is shown the numbers.
func (n numbered) Serve(w http.ResponseWriter, r *http.Request, v page.Visit, next func(http.ResponseWriter, *http.Request) error) (page.Result, error) {
	v.Shown, v.ByCookie = n.shown, true
	return page.Serve(n.Code, w, r, v, next)
}

// visited asks for a page through the code. The origin writes in these pieces.
func visited(t testing.TB, c numbered, r *http.Request, v page.Visit, h http.Header, pieces ...string) (*http.Response, string, page.Result) {
	v = still(v)
	recorder := httptest.NewRecorder()
	result, err := c.Serve(recorder, r, v, func(w http.ResponseWriter, _ *http.Request) error {
		maps.Copy(w.Header(), h)
		for _, p := range pieces {
			_, err := io.WriteString(w, p)
			require.NoError(t, err)
		}
		return nil
	})
	require.NoError(t, err)
	return recorder.Result(), recorder.Body.String(), result
}

// still is the visit in a time that stands still unless it has one: no piece of a page comes late.
func still(v page.Visit) page.Visit {
	if at := time.Now(); v.Now == nil {
		v.Now = func() time.Time { return at }
	}
	return v
}

func get(path string) *http.Request { return httptest.NewRequest("GET", path, nil) }

var htmlType = http.Header{"Content-Type": {"text/html; charset=utf-8"}}

const numberedPage = "<!doctype html><html><head><title>" + oldNumber + "</title></head><body><p class=phone>" + oldNumber + "</p></body></html>"

// split takes the page apart: what was inserted in its head, and the block at its end.
func split(t testing.TB, body string) (markup, block string) {
	at := strings.Index(body, "<script>var __cs")
	require.Positive(t, at)
	end := at + strings.Index(body[at:], `svc.js"></script>`) + len(`svc.js"></script>`)
	markup = body[:at] + body[end:]
	from := strings.Index(markup, `<script type="application/json" data-svc-numbers>`)
	require.Positive(t, from, body)
	return markup[:from], markup[from:]
}

func TestPageWithNumbers(t *testing.T) {
	c := shopCode(t)
	want := strings.ReplaceAll(numberedPage, oldNumber, newNumber)
	for i := range numberedPage {
		_, body, result := visited(t, c, get("/"), page.Visit{}, htmlType, numberedPage[:i], numberedPage[i:])
		markup, _ := split(t, body)
		require.Equal(t, want, markup)
		require.Equal(t, page.Woven, result.Outcome)
		require.True(t, result.Numbers)
	}
	_, body, _ := visited(t, c, get("/"), page.Visit{}, htmlType, numberedPage)
	_, block := split(t, body)
	block = strings.TrimSuffix(strings.TrimPrefix(block, `<script type="application/json" data-svc-numbers>`), "</script>")
	var told struct {
		Numbers []struct {
			ID, From, Raw, Text string
			Forms               json.RawMessage
		}
		Replaced [][3]string
	}
	require.NoError(t, json.Unmarshal([]byte(block), &told))
	require.Equal(t, [][3]string{{"number=74951234567", oldNumber, newNumber}}, told.Replaced)
	require.Len(t, told.Numbers, 2)
	require.Equal(t, "number=74951234567", told.Numbers[0].ID)
	require.Equal(t, "+7 495 765-43-21", told.Numbers[0].Text)
	require.NotEmpty(t, told.Numbers[0].Forms)
	require.Equal(t, ".phone", told.Numbers[1].ID)
}

// A page that comes at once goes out at once, with its length.
func TestLengthOfPageWithNumbers(t *testing.T) {
	selected := snippet.Number{Digits: "74951234567", Selectors: []string{"body > p:nth-child(n)"}, Tracking: []snippet.Tracking{{Digits: "74957654321"}}}
	for _, c := range []numbered{shopCode(t), numberedCode(t, selected)} {
		h := http.Header{"Content-Type": {"text/html"}, "Content-Length": {strconv.Itoa(len(numberedPage))}}
		response, body, _ := visited(t, c, get("/"), page.Visit{}, h, numberedPage)
		require.Equal(t, int64(len(body)), response.ContentLength)
		markup, _ := split(t, body)
		require.Equal(t, strings.ReplaceAll(numberedPage, oldNumber, newNumber), markup)
		for i := 1; i < len(numberedPage); i++ {
			response, again, _ := visited(t, c, get("/"), page.Visit{}, h, numberedPage[:i], numberedPage[i:])
			require.Equal(t, body, again)
			require.Equal(t, int64(len(body)), response.ContentLength)
		}
	}
}

// Of many numbers, the script is told of those that the page shows.
func TestManyNumbers(t *testing.T) {
	numbers := slices.Clone(shopNumbers)
	for i := range 100 {
		numbers = append(numbers, snippet.Number{Digits: fmt.Sprintf("7495200%04d", i), Tracking: []snippet.Tracking{{Digits: fmt.Sprintf("7495300%04d", i)}}})
	}
	c := numberedCode(t, numbers...)
	_, body, _ := visited(t, c, get("/"), page.Visit{}, htmlType, numberedPage)
	_, block := split(t, body)
	require.Contains(t, block, "number=74951234567")
	require.NotContains(t, block, "number=7495200")
}

// Pages that are not given the code have their numbers replaced all the same.
func TestNumbersWithoutTheCode(t *testing.T) {
	c := shopCode(t)
	want := strings.ReplaceAll(numberedPage, oldNumber, newNumber)
	for name, test := range map[string]struct {
		request map[string]string
		answer  http.Header
		markup  string
		outcome page.Outcome
	}{
		"frame":            {map[string]string{"Sec-Fetch-Dest": "iframe"}, htmlType, numberedPage, page.Frame},
		"fragment request": {map[string]string{"X-Requested-With": "XMLHttpRequest"}, htmlType, numberedPage, page.FragmentRequest},
		"fragment":         {nil, htmlType, "<p>" + oldNumber + "</p>", page.Fragment},
		"policy": {nil, http.Header{"Content-Type": {"text/html"}, "Content-Security-Policy": {"default-src 'none'"}},
			numberedPage, page.CSP},
		"already": {nil, htmlType, strings.Replace(numberedPage, "<title>", `<script src="/frontdesk/svc.js"></script><title>`, 1), page.Already},
	} {
		t.Run(name, func(t *testing.T) {
			r := get("/")
			for field, value := range test.request {
				r.Header.Set(field, value)
			}
			_, body, result := visited(t, c, r, page.Visit{}, test.answer, test.markup)
			require.Equal(t, test.outcome, result.Outcome)
			require.Equal(t, strings.ReplaceAll(test.markup, oldNumber, newNumber), body)
			require.NotContains(t, want, oldNumber)
		})
	}
}

// What cannot be read, and what is no page, is left as it is.
func TestNumbersLeftAlone(t *testing.T) {
	c := shopCode(t)
	for name, h := range map[string]http.Header{
		"unknown coding": {"Content-Type": {"text/html"}, "Content-Encoding": {"pack200-gzip"}},
		"utf-16":         {"Content-Type": {"text/html; charset=utf-16le"}},
		"script":         {"Content-Type": {"text/javascript"}},
		"json":           {"Content-Type": {"application/json"}},
		"attachment":     {"Content-Type": {"text/html"}, "Content-Disposition": {"attachment"}},
		"no transform":   {"Content-Type": {"text/html"}, "Cache-Control": {"no-transform"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, body, result := visited(t, c, get("/a"), page.Visit{}, h, numberedPage)
			require.Equal(t, numberedPage, body)
			require.False(t, result.Numbers)
		})
	}
}

func TestNumbersInEachCharset(t *testing.T) {
	c := shopCode(t)
	const markup = "<!doctype html><html><head>META<title>Лампы</title></head><body>Звоните\u00a0нам: 8\u00a0(495)\u00a0123-45-67, ёж</body></html>"
	for _, charset := range []struct {
		label string
		*charmap.Charmap
	}{{"windows-1251", charmap.Windows1251}, {"koi8-r", charmap.KOI8R}} {
		for _, header := range []bool{true, false} {
			h, meta := http.Header{"Content-Type": {"text/html; charset=" + charset.label}}, ""
			if !header {
				h, meta = http.Header{"Content-Type": {"text/html"}}, `<meta charset="`+charset.label+`">`
			}
			encoded, err := charset.NewEncoder().String(strings.Replace(markup, "META", meta, 1))
			require.NoError(t, err)
			_, body, _ := visited(t, c, get("/"), page.Visit{}, h, encoded)
			got, block := split(t, body)
			require.Equal(t, strings.Replace(encoded, "123-45-67", "765-43-21", 1), got)
			require.Contains(t, block, `"8\u00a0(495)\u00a0123-45-67"`)
		}
	}
}

func TestNumbersInCompressedPages(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, numberedPage)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	h := http.Header{"Content-Type": {"text/html"}, "Content-Encoding": {"gzip"}}
	for _, frame := range []bool{false, true} {
		r := get("/")
		if frame {
			r.Header.Set("Sec-Fetch-Dest", "iframe")
		}
		response, body, _ := visited(t, shopCode(t), r, page.Visit{}, h, b.String()[:20], b.String()[20:])
		require.Empty(t, response.Header.Get("Content-Encoding"))
		require.NotContains(t, body, "<p class=phone>"+oldNumber)
		require.Contains(t, body, "<p class=phone>"+newNumber)
	}
}

func TestSelectors(t *testing.T) {
	c := numberedCode(t, snippet.Number{Digits: "74951234567", Selectors: []string{"footer .tel:nth-child(1)"}, Tracking: []snippet.Tracking{{Digits: "74957654321"}}})
	const markup = "<!doctype html><html><head><title>a</title></head><body><b class=tel>123-45-67</b><footer><p><i class='a tel'>123-45-67</i><b class=tel>123-45-67</b></footer>" +
		"<table><b class=tel>123-45-67</b><tr><td>\xff" + oldNumber
	want := strings.Replace(markup, "<i class='a tel'>123-45-67", "<i class='a tel'>+7 495 765-43-21", 1)
	want = strings.Replace(want, oldNumber, newNumber, 1)
	for i := range markup {
		_, body, result := visited(t, c, get("/"), page.Visit{}, htmlType, markup[:i], markup[i:])
		got, _ := split(t, body)
		require.Equal(t, want, got)
		require.False(t, result.Unselected)
	}
	t.Run("a large page goes without", func(t *testing.T) {
		large := markup + strings.Repeat("<p>text ", 100_000)
		_, body, result := visited(t, c, get("/"), page.Visit{}, htmlType, large)
		got, _ := split(t, body)
		require.Equal(t, strings.Replace(large, oldNumber, newNumber, 1), got)
		require.True(t, result.Unselected)
	})
	// served serves the page in three pieces: flushed, as a proxy does that does not know the length, or
	// with its length.
	served := func(t *testing.T, of page.Visit, flushed bool, before, after func()) (body io.ReadCloser, result <-chan page.Result) {
		results := make(chan page.Result, 1)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			result, err := c.Serve(w, r, of, func(w http.ResponseWriter, _ *http.Request) error {
				w.Header().Set("Content-Type", "text/html")
				if !flushed {
					w.Header().Set("Content-Length", strconv.Itoa(len(markup)))
				}
				for i, piece := range []string{markup[:70], markup[70:120], markup[120:180], markup[180:]} {
					if i == 2 {
						before()
					}
					_, _ = io.WriteString(w, piece)
					if flushed || i == 2 {
						_ = http.NewResponseController(w).Flush()
					}
					if i == 2 {
						after()
					}
				}
				return nil
			})
			if err == nil {
				results <- result
			}
		}))
		t.Cleanup(server.Close)
		response, err := server.Client().Get(server.URL)
		require.NoError(t, err)
		t.Cleanup(func() { response.Body.Close() })
		return response.Body, results
	}
	t.Run("a page that is flushed waits for its end", func(t *testing.T) {
		body, result := served(t, still(page.Visit{}), true, func() {}, func() {})
		all, err := io.ReadAll(body)
		require.NoError(t, err)
		got, _ := split(t, string(all))
		require.Equal(t, want, got)
		require.False(t, (<-result).Unselected)
	})
	for name, flushed := range map[string]bool{"but not for long": true, "nor does one of known length": false} {
		t.Run(name, func(t *testing.T) {
			seen := make(chan struct{})
			body, result := served(t, page.Visit{}, flushed, func() { time.Sleep(300 * time.Millisecond) }, func() {
				select {
				case <-seen:
				case <-time.After(30 * time.Second):
					t.Error("nothing comes before the page's end")
				}
			})
			first := make([]byte, 10)
			_, err := io.ReadFull(body, first)
			require.NoError(t, err)
			close(seen)
			rest, err := io.ReadAll(body)
			require.NoError(t, err)
			got, _ := split(t, string(first)+string(rest))
			require.Equal(t, strings.Replace(markup, oldNumber, newNumber, 1), got)
			require.True(t, (<-result).Unselected)
		})
	}
}

// Most selectors need no more of a page than has come, whatever its size.
func TestSelectorsInTheStream(t *testing.T) {
	c := numberedCode(t, snippet.Number{Digits: "74951234567", Selectors: []string{"footer p > .tel:first-child, [data-place='shop 1'] b:not(.fax)"}, Tracking: []snippet.Tracking{{Digits: "74957654321"}}})
	markup := "<!doctype html><html><head><title>a</title></head><body><b class=tel>123-45-67</b>" + strings.Repeat("<p>text <i>a</i>\n", 60_000) +
		"<div data-place='shop&#32;1'><b>123-45-67</b><b class=fax>123-45-67</b></div><footer><p><i class='a tel'>123-45-67</i><b class=tel>123-45-67</b></footer>"
	want := strings.NewReplacer("<i class='a tel'>123-45-67", "<i class='a tel'>+7 495 765-43-21", "<b>123-45-67", "<b>+7 495 765-43-21").Replace(markup)
	for _, size := range []int{len(markup), 10_007, 997} {
		_, body, result := visited(t, c, get("/"), page.Visit{}, htmlType, slices.Collect(chunks(markup, size))...)
		got, _ := split(t, body)
		require.Equal(t, want, got)
		require.False(t, result.Unselected)
	}
}

// chunks cuts a page into pieces.
func chunks(markup string, size int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for piece := range slices.Chunk([]byte(markup), size) {
			if !yield(string(piece)) {
				return
			}
		}
	}
}

func TestFrameworkData(t *testing.T) {
	c := shopCode(t)
	const data = `{"a":"+7\u00a0(495)\u00a0123-45-67","b":"tel:84951234567","c":74951234568}`
	want := strings.NewReplacer("123-45-67", "765-43-21", "84951234567", "84957654321").Replace(data)
	for _, test := range []struct{ path, contentType string }{
		{"/_next/data/build/index.json", "application/json"},
		{"/a/_payload.json?x", "application/json;charset=utf-8"},
		{"/a/__data.json", "application/json"},
		{"/a", "text/x-component"},
	} {
		r := get(test.path)
		r.Header.Set("Sec-Fetch-Dest", "empty")
		h := http.Header{"Content-Type": {test.contentType}, "Content-Length": {strconv.Itoa(len(data))}, "Etag": {`"a"`}}
		for i := range data {
			response, body, result := visited(t, c, r, page.Visit{}, h, data[:i], data[i:])
			require.Equal(t, want, body)
			require.Equal(t, page.Data, result.Outcome)
			require.Equal(t, "private", response.Header.Get("Cache-Control"))
			require.Equal(t, int64(len(body)), response.ContentLength)
			require.NotEqual(t, `"a"`, response.Header.Get("Etag"))
		}
	}
}

func TestCachesOfNumbers(t *testing.T) {
	h := http.Header{"Content-Type": {"text/html"}, "Etag": {`"a"`}, "Cache-Control": {"public, max-age=60, s-maxage=600"}, "Surrogate-Control": {"max-age=1"}, "Cdn-Cache-Control": {"max-age=1"}}
	neutral := numberedCode(t)
	other := numberedCode(t, snippet.Number{Digits: "74951234567", Tracking: []snippet.Tracking{{Digits: "74957654322"}}})
	tags := make(map[string]bool)
	for _, c := range []numbered{shopCode(t), other} {
		response, _, _ := visited(t, c, get("/"), page.Visit{SetCookies: []string{"svc_src=1", "svc_src=2"}}, h, numberedPage)
		require.Equal(t, "private, max-age=60", response.Header.Get("Cache-Control"))
		require.Empty(t, response.Header.Get("Surrogate-Control")+response.Header.Get("Cdn-Cache-Control"))
		require.Equal(t, []string{"svc_src=1", "svc_src=2"}, response.Header.Values("Set-Cookie"))
		require.Contains(t, response.Header.Values("Vary"), "Cookie")
		tags[response.Header.Get("Etag")] = true
	}
	response, body, _ := visited(t, neutral, get("/"), page.Visit{}, h, numberedPage)
	require.Equal(t, "public, max-age=60, s-maxage=600", response.Header.Get("Cache-Control"))
	require.Contains(t, response.Header.Values("Vary"), "Cookie")
	require.Contains(t, body, oldNumber)
	require.NotContains(t, body, "data-svc-numbers")
	tags[response.Header.Get("Etag")] = true
	require.Len(t, tags, 3)
}

func TestSample(t *testing.T) {
	for name, c := range map[string]numbered{"with numbers": shopCode(t), "without": numberedCode(t)} {
		t.Run(name, func(t *testing.T) {
			var sample []byte
			v := page.Visit{Sample: func(markup []byte, contentType string, whole bool) {
				require.True(t, whole)
				require.Equal(t, "text/html; charset=utf-8", contentType)
				sample = markup
			}}
			_, body, _ := visited(t, c, get("/"), v, htmlType, numberedPage[:50], numberedPage[50:80], numberedPage[80:])
			require.Equal(t, numberedPage, string(sample))
			require.Contains(t, body, "var __cs")
			sample = nil
			visited(t, c, get("/"), v, htmlType, numberedPage, strings.Repeat("a", 300<<10))
			require.Nil(t, sample)
		})
	}
}

func TestCheckNumbers(t *testing.T) {
	for want, n := range map[string]snippet.Number{
		"number":                        {Digits: "12"},
		"replacement":                   {Digits: "74951234567", Tracking: []snippet.Tracking{{Digits: "7 495"}}},
		"expected #id":                  {Digits: "74951234567", Targets: []string{"a b"}},
		"selector":                      {Digits: "74951234567", Selectors: []string{"a["}},
		"belongs to number 74951234567": {Digits: "74951234567", Targets: []string{".a"}, Pictures: []string{".a"}},
		"expected 1 pictures, not 0":    {Digits: "74951234567", Pictures: []string{".a"}, Tracking: []snippet.Tracking{{Digits: "74957654321"}}},
	} {
		require.ErrorContains(t, snippet.CheckNumbers([]snippet.Number{n}), want)
	}
	require.NoError(t, snippet.CheckNumbers(shopNumbers))
}

// An origin that breaks off leaves no page behind that looks whole.
func TestPageWithNumbersCutShort(t *testing.T) {
	c := shopCode(t)
	want := numberedPage[:90]
	for _, length := range []int{-1, len(numberedPage), 5000} {
		for i := range len(want) {
			for _, flush := range []bool{false, true} {
				recorder := httptest.NewRecorder()
				failure := errors.New("the origin failed")
				err := served(c, recorder, func(w http.ResponseWriter, _ *http.Request) error {
					w.Header().Set("Content-Type", "text/html")
					if length >= 0 {
						w.Header().Set("Content-Length", strconv.Itoa(length))
					}
					_, _ = io.WriteString(w, want[:i])
					if flush {
						require.NoError(t, http.NewResponseController(w).Flush())
					}
					_, _ = io.WriteString(w, want[i:])
					return failure
				})
				require.Contains(t, []error{failure, http.ErrAbortHandler}, err)
				got := recorder.Body.String()
				if at := strings.Index(got, "<script>var __cs"); at >= 0 {
					end := at + strings.Index(got[at:], `svc.js"></script>`) + len(`svc.js"></script>`)
					got = got[:at] + got[end:]
				}
				require.Len(t, got, len(want), got)
				require.NotContains(t, got, "data-svc-numbers")
			}
		}
	}
	require.Panics(t, func() { // and so the connection ends
		h := http.Header{"Content-Type": {"text/html"}, "Content-Length": {"5000"}}
		visited(t, c, get("/"), page.Visit{}, h, numberedPage)
	})
}

// served answers a request, with a panic as an error.
func served(c numbered, w http.ResponseWriter, origin func(http.ResponseWriter, *http.Request) error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = cause.(error)
		}
	}()
	_, err = c.Serve(w, get("/"), page.Visit{}, origin)
	return err
}

// A copy of other numbers is not taken for current, whatever asked for it.
func TestValidatorsOfNumbers(t *testing.T) {
	for _, dest := range []string{"", "document", "iframe", "empty"} {
		r := get("/_next/data/a.json")
		r.Header.Set("If-None-Match", `"abc"`)
		r.Header.Set("If-Modified-Since", "Sat, 21 Nov 2026 10:00:00 GMT")
		r.Header.Set("Accept", "text/html")
		if dest != "" {
			r.Header.Set("Sec-Fetch-Dest", dest)
		}
		if dest == "empty" {
			r.Header.Set("Accept", "*/*")
		}
		_, err := shopCode(t).Serve(httptest.NewRecorder(), r, page.Visit{}, func(_ http.ResponseWriter, r *http.Request) error {
			require.Empty(t, r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since"), dest)
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, `"abc"`, r.Header.Get("If-None-Match"))
	}
	r := get("/api/list")
	r.Header.Set("Sec-Fetch-Dest", "empty")
	r.Header.Set("If-None-Match", `"abc"`)
	_, err := shopCode(t).Serve(httptest.NewRecorder(), r, page.Visit{}, func(_ http.ResponseWriter, r *http.Request) error {
		require.Equal(t, `"abc"`, r.Header.Get("If-None-Match"), "what a script fetches for itself stays")
		return nil
	})
	require.NoError(t, err)
	neutral := numberedCode(t)
	response, _, _ := visited(t, neutral, get("/_next/data/a.json"), page.Visit{}, http.Header{"Content-Type": {"application/json"}}, "{}")
	require.Contains(t, response.Header.Values("Vary"), "Cookie")
}

// What one visitor alone sees is kept by nobody else, and is fetched anew each time.
func TestPagesOfOneVisitor(t *testing.T) {
	printed, err := snippet.NewPrinted(shopNumbers, false)
	require.NoError(t, err)
	c, err := snippet.New(snippet.Settings{SiteKey: "shop", Prefix: "/frontdesk/"})
	require.NoError(t, err)
	own := numbered{c, printed.Show([]string{"74957654321"}, snippet.ForVisitor)}
	for name, test := range map[string]struct {
		path, dest, contentType string
		asked, kept             bool // whether the origin sees conditions, and the client validators
	}{
		"page":  {"/", "document", "text/html", false, false},
		"frame": {"/", "iframe", "text/html", false, false},
		"data":  {"/_next/data/a/b.json", "empty", "application/json", false, false},
		"image": {"/a.png", "image", "image/png", true, true},
		"json":  {"/api/list", "empty", "application/json", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := get(test.path)
			r.Header.Set("Sec-Fetch-Dest", test.dest)
			r.Header.Set("If-None-Match", `"a"`)
			r.Header.Set("If-Modified-Since", "Sat, 21 Nov 2026 10:00:00 GMT")
			recorder := httptest.NewRecorder()
			_, err := own.Serve(recorder, r, page.Visit{}, func(w http.ResponseWriter, r *http.Request) error {
				require.Equal(t, test.asked, r.Header.Get("If-None-Match") != "" && r.Header.Get("If-Modified-Since") != "")
				require.Equal(t, test.asked, r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since") != "")
				h := w.Header()
				h.Set("Content-Type", test.contentType)
				h.Set("Etag", `"a"`)
				h.Set("Last-Modified", "Sat, 21 Nov 2026 10:00:00 GMT")
				h.Set("Cache-Control", "public, max-age=60")
				_, err := io.WriteString(w, numberedPage)
				return err
			})
			require.NoError(t, err)
			h := recorder.Header()
			require.Equal(t, test.kept, h.Get("Etag") != "" && h.Get("Last-Modified") != "")
			require.Equal(t, test.kept, h.Get("Etag")+h.Get("Last-Modified") != "")
			want := "private, max-age=60"
			if test.kept {
				want = "public, max-age=60"
			}
			require.Equal(t, want, h.Get("Cache-Control"))
			require.NotEmpty(t, r.Header.Get("If-None-Match"), "the request is as it was")
		})
	}
}

// What is not among the tracking numbers of a number is not shown.
func TestShowingWhatIsNotThere(t *testing.T) {
	printed, err := snippet.NewPrinted(shopNumbers, false)
	require.NoError(t, err)
	c := shopCode(t)
	for _, digits := range [][]string{nil, {""}, {"74957654322"}, {"", "74957654321"}} {
		c.shown = printed.Show(digits, snippet.ForEveryone)
		response, body, result := visited(t, c, get("/"), page.Visit{}, htmlType, numberedPage)
		require.Contains(t, body, oldNumber)
		require.NotContains(t, body, "data-svc-numbers")
		require.False(t, result.Numbers)
		require.Empty(t, response.Header.Get("Cache-Control"))
	}
}
