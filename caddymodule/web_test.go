package caddymodule

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// TestPagesOfTheWeb sends the pages that WordPress, MediaWiki and DokuWiki made
// through Caddy, in several pieces, with numbers in effect. What is to become of a
// page is told by another parser and by expressions for the writings in them.
func TestPagesOfTheWeb(t *testing.T) {
	const folder = "../snippet/testdata/web"
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, err := os.ReadFile(filepath.Join(folder, filepath.Base(r.URL.Path)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", map[string]string{".html": "text/html; charset=UTF-8", ".xml": "application/rss+xml; charset=UTF-8"}[filepath.Ext(r.URL.Path)])
		if r.FormValue("coding") == "gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write(content)
			z.Close()
			content = b.Bytes()
		}
		size, _ := strconv.Atoi(r.FormValue("piece"))
		for piece := range slices.Chunk(content, size) {
			w.Write(piece)
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(origin.Close)
	s := run(t, `
		{
			grace_period 5s
			frontdesk {
				database sqlite $DIR/frontdesk.db
			}
		}
		http://localhost:$PORT {
			frontdesk shop {
				messengers on # so that every writing is replaced
				prerender static
				number 74951234567 {
					static 74957654321 utm_source=news
				}
				number 78123334455 {
					static 78125556677 utm_source=news
				}
				number 442079460018 {
					static 442079460777 utm_source=news
				}
			}
			reverse_proxy `+strings.TrimPrefix(origin.URL, "http://")+`
		}`).Ready()

	get := func(t *testing.T, address string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), wait) // a page that does not end is to be told
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Text(address), nil)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		require.Equal(t, http.StatusOK, response.StatusCode)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(body)
	}

	files, err := filepath.Glob(folder + "/*.*ml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		page := string(content)
		for _, pieces := range []string{"piece=1000000", "piece=1460", "piece=61", "piece=61&coding=gzip"} {
			t.Run(filepath.Base(file)+"?"+pieces, func(t *testing.T) {
				address := "http://localhost:$PORT/" + filepath.Base(file) + "?" + pieces
				if filepath.Ext(file) == ".xml" {
					require.Equal(t, page, get(t, address+"&utm_source=news"), "a feed is no page")
					return
				}
				neutral, numbered := get(t, address), get(t, address+"&utm_source=news")
				place, added := 0, len(neutral)-len(page)
				for place < len(page) && neutral[place] == page[place] {
					place++
				}
				require.Contains(t, neutral[max(0, place-10):place+added], insertion)
				require.Equal(t, page, neutral[:place]+neutral[place+added:])

				numbered = replacements.ReplaceAllString(numbered, "")
				numbered = numbered[:place] + numbered[place+len(numbered)-len(page):]
				for i := range page {
					if page[i] != numbered[i] {
						require.Regexp(t, "[0-9][0-9]", page[i:i+1]+numbered[i:i+1], "only digits are others")
					}
				}
				written := 0
				expected := shown(t, page, func(text string, original *regexp.Regexp) string {
					return original.ReplaceAllStringFunc(text, func(writing string) string {
						written++
						return pour(writing)
					})
				})
				require.Equal(t, expected, shown(t, numbered, func(text string, _ *regexp.Regexp) string { return text }))
				if strings.Contains(file, "post") || strings.Contains(file, "article") || strings.HasSuffix(file, "dokuwiki-page.html") {
					require.Greater(t, written, 8)
				}
			})
		}
	}
}

// replacements is what the page's script is told.
var replacements = regexp.MustCompile(`(?s)<script type="application/json" data-svc-numbers>.*?</script>`)

// These are the writings of the numbers in the pages' texts and addresses.
var (
	inText    = regexp.MustCompile(strings.ReplaceAll(`(?:\+7|8)S\(?495\)?S123S45S67|(?:\+7|8)S\(?812\)?S333S44S55|(?:\+44S|0)20S7946S0018|tel:74951234567`, "S", `[ \x{00A0}\x{2011}-]?`))
	inAddress = regexp.MustCompile(`^tel:\+74951234567$|^https://wa\.me/78123334455$`)
)

// pour puts the digits of the tracking number into a writing.
func pour(writing string) string {
	out := []byte(writing)
	digits := strings.Join(regexp.MustCompile("[0-9]+").FindAllString(writing, -1), "")
	tracking := map[string]string{"4951234567": "4957654321", "8123334455": "8125556677", "2079460018": "2079460777"}[digits[len(digits)-10:]]
	for i, left := len(out)-1, len(tracking); left > 0; i-- {
		if '0' <= out[i] && out[i] <= '9' {
			left--
			out[i] = tracking[left]
		}
	}
	return string(out)
}

// shown gives a page's text, in which whatever is no part of a sentence begins a
// line, and its attributes. Texts and addresses are changed as is said; scripts,
// styles, what is in a form's fields and other attributes are not.
func shown(t *testing.T, page string, change func(text string, original *regexp.Regexp) string) string {
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var text, rest strings.Builder
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode && slices.Contains([]string{"script", "style", "textarea", "option", "noscript"}, n.Parent.Data):
			rest.WriteString(n.Data)
		case n.Type == html.TextNode:
			text.WriteString(n.Data)
		case n.Type == html.ElementNode:
			if !slices.Contains([]string{"a", "b", "bdi", "em", "i", "span", "strong"}, n.Data) {
				text.WriteString("\n")
			}
			for _, a := range n.Attr {
				switch a.Key {
				case "alt", "aria-label", "title", "content":
					a.Val = change(a.Val, inText)
				case "href":
					a.Val = change(a.Val, inAddress)
				}
				fmt.Fprintf(&rest, "%s %s=%s\n", n.Data, a.Key, a.Val)
			}
		}
	}
	return change(text.String(), inText) + rest.String()
}
