package weave

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// streamed are selectors of all kinds that the stream can follow.
var streamed = []string{
	"*", "p", "b", "a", "div", "td", "li", "option", "html", "head", "body", ":first-child", "p:first-child", "b:first-child", "td:first-child", "body > *", "html > *", "head > *",
	"* > *", "p > *", "b > *", "a > *", "i > *", "div > *", "table > *", "tbody > *", "tr > *", "td > *", "li > *", "select > *", "form > *", "font > *", "nobr > *", "button > *", "em > *", "dd > *",
	"p *", "b *", "div *", "table *", "a *", "td *", "p p", "b b", "a a", "div div", "font font", "li li", "div p > b", "div > p b:first-child", "table td > p", "body > div > *",
	"[id]", "#x", ".x", ".phone", "div.x", "[class]", "[class~=x]", "[id=a]", "[id=\"a b\"]", "[id!=a]", "[lang|=en]", "[href^=tel]", "[href$='1']", "[href*=a]", "p:not(.x)", "*:not(p):not(b)", "*:not(p, b, .x)", "p:not(.x#a)",
	"div:not([id]) > :first-child:not(a)", "p, b", "table > tbody > tr > td:first-child, ul > li", "x-custom-element-of-a-long-name > *", "svg", "math", "template",
}

// watcher follows a page's tree and notes which parts lead to each start tag.
type watcher struct {
	token.Tokenizer
	tree
	told  []parts
	lost  []bool
	after []int
}

func (w *watcher) Text(at int64, b []byte)      { w.tree.text(at, b) }
func (w *watcher) Raw(int64, []byte)            {}
func (w *watcher) Doctype(b []byte)             { w.tree.takeDoctype(b) }
func (w *watcher) Attribute(a *token.Attribute) { w.tree.attribute(a) }
func (w *watcher) Tag(at int64, t *token.Tag) bool {
	w.tree.begin(at, t)
	return !t.End
}
func (w *watcher) TagEnd(after int64, t *token.Tag) {
	w.tree.finish(after, t, w.ReadsRaw(), &w.Foreign)
	if !t.End {
		unsure := w.tree.told == (parts{}) && (w.inert > 0 || w.dims())
		w.told, w.lost, w.after = append(w.told, w.tree.told), append(w.lost, w.tree.lost || unsure), append(w.after, int(after))
	}
}

// dims says whether an element is open in which nothing is chosen, since its place is not known.
func (w *watcher) dims() bool {
	return slices.ContainsFunc(w.open, func(n *node) bool { return n.dim })
}

func (w *watcher) watch(p *program, page []byte, cuts ...int) {
	w.Tokenizer.Reset(w)
	w.tree.reset(p)
	w.told, w.lost, w.after = w.told[:0], w.lost[:0], w.after[:0]
	w.tree.bound.Add(len(page))
	from := 0
	for _, cut := range append(cuts, len(page)) {
		w.Feed(page[from:cut])
		from = cut
	}
}

type compiled struct {
	program  program
	matchers []goquery.Matcher
	ends     [][]int // the last parts of each selector
}

func compileStreamed(t testing.TB, selectors ...string) *compiled {
	c := new(compiled)
	for i, s := range selectors {
		n := len(c.program.parts)
		require.True(t, c.program.add(s, i), s)
		m, err := cascadia.Compile(s)
		require.NoError(t, err, s)
		c.matchers = append(c.matchers, m)
		var ends []int
		for ; n < len(c.program.parts); n++ {
			if c.program.ends.has(n) {
				ends = append(ends, n)
			}
		}
		c.ends = append(c.ends, ends)
	}
	return c
}

// chosen says which selectors choose the element of the last start tag of a page, by goquery. ok is false if the tag
// has not become one element, or if that is in a template or a foreign element.
func (c *compiled) chosen(t testing.TB, page []byte, told parts) (chosen []bool, ok bool) {
	numbered := new(numberer)
	root, err := html.Parse(bytes.NewReader(numbered.number(page)))
	if err != nil {
		return nil, false
	}
	var found *html.Node
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == ordinalName && a.Val == strconv.Itoa(numbered.ordinal) {
				found = n
			}
		}
	}
	if found == nil {
		return make([]bool, len(c.matchers)), true
	}
	if told == (parts{}) && (found.Data == "html" || found.Data == "body") {
		return nil, false // a second tag, whose attributes go to the first element
	}
	for n := found; n != nil; n = n.Parent {
		if n.Namespace != "" || n != found && n.Data == "template" {
			return nil, false
		}
	}
	for _, m := range c.matchers {
		chosen = append(chosen, m.Match(found))
	}
	return chosen, true
}

// chosenInWhole says by ordinal of the start tags of a page which selectors choose the element, by goquery.
func (c *compiled) chosenInWhole(t testing.TB, page []byte) map[int][]bool {
	root, err := html.Parse(bytes.NewReader(new(numberer).number(page)))
	require.NoError(t, err)
	chosen := make(map[int][]bool)
	for n := range root.Descendants() {
		dark := false
		for up := n; up != nil; up = up.Parent {
			dark = dark || up.Namespace != "" || up != n && up.Data == "template"
		}
		for _, a := range n.Attr {
			if ordinal, err := strconv.Atoi(a.Val); a.Key == ordinalName && err == nil && chosen[ordinal] == nil {
				for _, m := range c.matchers {
					chosen[ordinal] = append(chosen[ordinal], m.Match(n) && !dark)
				}
			}
		}
	}
	return chosen
}

// compare compares the stream with goquery at each start tag of a page, for the page up to that tag. It returns how
// many tags are outside of templates and foreign elements, and how many of these the tree has followed.
func (c *compiled) compare(t testing.TB, w *watcher, page []byte) (tags, followed int) {
	if w.watch(&c.program, page); misread.Match(page) {
		return 0, 0
	}
	for i, after := range w.after {
		want, ok := c.chosen(t, page[:after], w.told[i])
		if !ok {
			require.Equal(t, parts{}, w.told[i], "at the end of %q", page[:after])
			continue
		}
		tags++
		if w.lost[i] {
			require.Equal(t, parts{}, w.told[i])
			continue
		}
		followed++
		for k, ends := range c.ends {
			got := false
			for _, n := range ends {
				got = got || w.told[i].has(n)
			}
			if got != want[k] {
				require.Equal(t, want[k], got, "%s at the end of %q", streamed[k], page[:after])
			}
		}
	}
	return tags, followed
}

// misread finds pages that golang.org/x/net/html may read otherwise than browsers do (HTML standard, 13.2.5.23): in a script it
// forgets the "<!--" at a "<" that begins no tag, and takes a later "<script" for text.
var misread = regexp.MustCompile(`(?is)<!--.*<[^a-z/].*<script`)

// documents returns the pages of the html5lib tests of tree construction in golang.org/x/net/html.
func documents(t testing.TB) (pages [][]byte) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "html/testdata/html5lib-tests/tree-construction/*.dat"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		all, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, test := range bytes.Split(append([]byte("\n"), all...), []byte("\n#data\n"))[1:] {
			page, rest, _ := bytes.Cut(append([]byte("\n"), test...), []byte("\n#errors"))
			if !bytes.Contains(rest, []byte("#document-fragment")) {
				pages = append(pages, bytes.TrimPrefix(page, []byte("\n")))
			}
		}
	}
	return pages
}

func TestTreeOfDocuments(t *testing.T) {
	c, w := compileStreamed(t, streamed...), new(watcher)
	tags, followed, whole, all := 0, 0, 0, 0
	for i, page := range documents(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			n, m := c.compare(t, w, page)
			tags, followed, all = tags+n, followed+m, all+1
			if n == m {
				whole++
			}
		})
	}
	t.Logf("%d of %d documents are followed, %d of %d tags", whole, all, followed, tags)
}

// Three of each kind of equal formatting elements are opened again, and all that differ.
func TestTreeOfFormattingElements(t *testing.T) {
	c, w := compileStreamed(t, ".x i", "b > b > b > i"), new(watcher)
	tags, followed := c.compare(t, w, []byte("<p><b class=x><b><b><b><b></p><i><u>"))
	require.Equal(t, tags, followed)
}

// Where an element has been moved whose parent is closed, nothing is chosen until it ends.
func TestTreeOfMovedElements(t *testing.T) {
	c, w := compileStreamed(t, streamed...), new(watcher)
	tags, followed := c.compare(t, w, []byte("<body><a><select><a><div><a></select><p>"))
	require.Equal(t, []int{7, 6}, []int{tags, followed})
}

// Where a drawing ends without its end tag, the tokenizer may read on as in the drawing.
func TestTreeOfOpenDrawings(t *testing.T) {
	c, w := compileStreamed(t, streamed...), new(watcher)
	for _, page := range []string{
		"<a><svg></a><plaintext><b>", "<svg><plaintext><b>", "<p><plaintext><b>", "<svg><desc><plaintext><b>", "<math><mi><plaintext/><b>",
		"<i><svg></i><![CDATA[><b]]><em>", "<svg><desc><![CDATA[></svg><b>", "<svg><![cdata[></svg><b>", "<svg><![CDATA[></svg><b>",
		"<template><div><svg></div><script></svg></template><b>",
	} {
		c.compare(t, w, []byte(page))
	}
}

func TestTreeOfGeneratedPages(t *testing.T) {
	c, w := compileStreamed(t, streamed...), new(watcher)
	r := rand.New(rand.NewPCG(9, 10))
	for range 1500 {
		c.compare(t, w, generated(r))
	}
}

// FuzzSelect compares the stream with goquery, for any page and any cuts.
func FuzzSelect(f *testing.F) {
	c, w, cut := compileStreamed(f, streamed...), new(watcher), new(watcher)
	for i, page := range documents(f) {
		if i%16 == 0 && len(page) < maxCompared {
			f.Add(page, 3)
		}
	}
	f.Fuzz(func(t *testing.T, page []byte, at int) {
		if len(page) > maxCompared {
			return
		}
		c.compare(t, w, page)
		cut.watch(&c.program, page, max(at, 0)%(len(page)+1))
		require.Equal(t, w.told, cut.told)
	})
}

// maxCompared bounds the pages that the test parses once for each tag.
const maxCompared = 600
