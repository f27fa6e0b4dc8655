// Package weavetest makes pages that are hard to read, for the tests of those who read pages.
package weavetest

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Pieces are the parts of generated pages.
var Pieces = []string{
	"+7 (495) 123-45-67", "8 495 1234567", "84951234567", "+44 20 7946 0018", "020&nbsp;7946 0018", "495 ", "123", "-45-67", "&#52;95", "12 345 678", "2026-11-21", "&", "&nbsp;", "&#8217;", "&#39;", "&rsquo;", "&#8381;", "&#x1F600;", "&amp;", "&#", "\u00a0", "８４９５", "１２３４５６７",
	"<b>", "</b>", "<p>", "</p>", "<div class=\"phone a\">", "</div>", "<span id=callme>", "</span>", "<i name='tel'>", "</i>", "<br>", "<br/>", "<!-- 1 -->", "<!--", "-->", "<![CDATA[", "]]>",
	"<a href=\"tel:+74951234567\">", "<a href='sms:84951234567?body=1'>", "</a>", "<img class=a src=/a.png alt=\"84951234567\">", "<img class='b' srcset='/a 1x, /b 2x' src='/a'>", "<meta name=description content='+7 495 123-45-67'>",
	"<script>", "</script>", "<script id=__NEXT_DATA__ type=application/json>", "{\"a\":\"+74951234567\"}", "<script>self.__next_f.push([1,\"", "<style>", "</style>", "<title>", "</title>", "<textarea>", "</textarea>",
	"<noscript>", "</noscript>", "<select><option>", "</select>", "<svg>", "</svg>", "<desc>", "<p data-svc-noswap>", "<b contenteditable>", "<i itemprop=a>", "<div itemprop=b itemscope>", "<div itemprop>", "<div itemprop a=\"b\">", "<div a=\"b\"itemprop>", "<div/itemprop>",
	"<div class=\"row\" contenteditable>", "<p a=\"b\" data-svc-noswap c=\"d\">", "ไทย ๐๑ ", "٠١٢ عربي ", "A paragraph that is long enough for more than one block of sixty-four bytes. ", "<template>", "</template>",
	"<img srcset=\"/12345678901.png 1x, /12345678901.png 2x\" alt=\"", "<img src=\"/123456789012345.png\" class=\"a\" title=\"a lamp of 84951234567 and more\">", "<i data-a=\"1234567890123\"></i>", "<table>", "<tr>", "<td>", "</table>", "<li>", "<ul>", "</ul>", "<x y", " z=\"", "\"", "'", ">", "<", "</", "/", "=", " ", "\n", "text ", "Заказ ", "order ", "\x00", "\xff", "a=84951234567", "<plaintext>",
}

// Generated returns a page of some of the pieces.
func Generated(r *rand.Rand) []byte {
	var b bytes.Buffer
	if r.IntN(2) == 0 {
		b.WriteString("<!doctype html><html><head>")
	}
	for range r.IntN(60) {
		b.WriteString(Pieces[r.IntN(len(Pieces))])
	}
	return b.Bytes()
}

// Misread finds pages that golang.org/x/net/html may read otherwise than browsers do (HTML standard, 13.2.5.23): in a script it
// forgets the "<!--" at a "<" that begins no tag, and takes a later "<script" for text.
var Misread = regexp.MustCompile(`(?is)<!--.*<[^a-z/].*<script`)

// Pages returns the pages of the shop, which are written by hand, and those made by widespread programs, from the
// project's folder.
func Pages(t testing.TB, project string) (pages [][]byte) {
	for _, folder := range []string{"examples/shop/site", "snippet/testdata/web"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(project, folder), func(path string, _ fs.DirEntry, err error) error {
			if filepath.Ext(path) != ".html" {
				return err
			}
			page, err := os.ReadFile(path)
			pages = append(pages, page)
			return err
		}))
	}
	require.NotEmpty(t, pages)
	return pages
}

// Hostile are pages that are made to cost those much who follow a page's tree, by what there is much of.
var Hostile = map[string]string{
	"open elements":     strings.Repeat("<div>", 10_000),
	"open paragraphs":   strings.Repeat("<p><b>", 50_000),
	"active formatting": strings.Repeat("<p><b class=a><i><u><font size=1></p>", 10_000),
	"adoption":          strings.Repeat("<b><i><div><p>", 100) + strings.Repeat("</b></i>", 10_000),
	"lists":             strings.Repeat("<ul><li>", 200) + strings.Repeat("<li>", 20_000) + strings.Repeat("</p>", 20_000),
	"a class":           "<p class='" + strings.Repeat("a1 ", 400_000) + "'>",
	"tables":            strings.Repeat("<table><b>", 10_000),
	"templates":         strings.Repeat("<template>", 10_000),
	"drawings":          strings.Repeat("<svg><g>", 10_000),
	"what ends nothing": strings.Repeat("<span>", 400) + strings.Repeat("</x>", 50_000),
	"attributes":        "<p " + strings.Repeat("id=a class=b ", 50_000) + ">",
}
