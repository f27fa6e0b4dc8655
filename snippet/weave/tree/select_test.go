package tree

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/seed-3405227d/frontdesk/snippet/weave/nest"
	"github.com/seed-3405227d/frontdesk/snippet/weave/selector"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
	"github.com/seed-3405227d/frontdesk/snippet/weave/weavetest"
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
	tree  Tree
	told  []selector.Parts
	lost  []bool
	after []int
}

func (w *watcher) Text(at int64, b []byte)      { w.tree.Text(at, b) }
func (w *watcher) Raw(int64, []byte)            {}
func (w *watcher) Doctype(b []byte)             { w.tree.Doctype(b) }
func (w *watcher) Attribute(a *token.Attribute) { w.tree.Attribute(a) }
func (w *watcher) Tag(at int64, t *token.Tag) bool {
	w.tree.Begin(t)
	return !t.End
}
func (w *watcher) TagEnd(after int64, t *token.Tag) {
	w.tree.Finish(after, t, w.ReadsRaw(), &w.Foreign)
	if !t.End {
		unsure := w.tree.Told == (selector.Parts{}) && (len(w.tree.inert) > 0 || w.dims())
		w.told, w.lost, w.after = append(w.told, w.tree.Told), append(w.lost, w.tree.lost || unsure), append(w.after, int(after))
	}
}

// dims says whether an element is open in which nothing is chosen, since its place is not known.
func (w *watcher) dims() bool {
	return slices.ContainsFunc(w.tree.open, func(n *node) bool { return n.dim })
}

func (w *watcher) watch(p *selector.Program, page []byte, cuts ...int) {
	w.Reset(w)
	w.tree.Reset(p)
	w.told, w.lost, w.after = w.told[:0], w.lost[:0], w.after[:0]
	w.tree.Bound.Add(len(page))
	from := 0
	for _, cut := range append(cuts, len(page)) {
		w.Feed(page[from:cut])
		from = cut
	}
}

// compiled are selectors, whose places are their indexes.
type compiled struct {
	program  selector.Program
	matchers []goquery.Matcher
}

func compileStreamed(t testing.TB, selectors ...string) *compiled {
	c := new(compiled)
	for i, s := range selectors {
		require.NoError(t, c.program.Add(s, i), s)
		m, err := cascadia.Compile(s)
		require.NoError(t, err, s)
		c.matchers = append(c.matchers, m)
	}
	require.False(t, c.program.NeedsWhole(func(int) bool { return true }))
	return c
}

// told says whether the stream chooses an element to which the parts lead, by the selector k.
func (c *compiled) told(parts *selector.Parts, k int) bool {
	return c.program.Place(parts, func(place int) bool { return place == k }) == k
}

// chosen says which selectors choose the element of the last start tag of a page, by goquery. ok is false if the tag
// has not become one element, or if that is in a template or a foreign element.
func (c *compiled) chosen(t testing.TB, page []byte, told selector.Parts) (chosen []bool, ok bool) {
	numbered, tags := selector.Numbered(page)
	ordinal := fmt.Appendf(nil, " %s=%d ", selector.Ordinal, tags)
	// The other tags get no ordinals, so that equal elements stay equal.
	_, after, _ := bytes.Cut(numbered, ordinal)
	root, err := html.Parse(bytes.NewReader(slices.Concat(page[:len(page)-len(after)], ordinal, after)))
	if err != nil {
		return nil, false
	}
	var found *html.Node
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == selector.Ordinal && a.Val == strconv.Itoa(tags) {
				found = n
			}
		}
	}
	if found == nil {
		return make([]bool, len(c.matchers)), true
	}
	if told == (selector.Parts{}) && (found.Data == "html" || found.Data == "body") {
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
	numbered, _ := selector.Numbered(page)
	root, err := html.Parse(bytes.NewReader(numbered))
	require.NoError(t, err)
	chosen := make(map[int][]bool)
	for n := range root.Descendants() {
		dark := false
		for up := n; up != nil; up = up.Parent {
			dark = dark || up.Namespace != "" || up != n && up.Data == "template"
		}
		for _, a := range n.Attr {
			if ordinal, err := strconv.Atoi(a.Val); a.Key == selector.Ordinal && err == nil && chosen[ordinal] == nil {
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
	if w.watch(&c.program, page); weavetest.Misread.Match(page) {
		return 0, 0
	}
	for i, after := range w.after {
		want, ok := c.chosen(t, page[:after], w.told[i])
		if !ok {
			require.Equal(t, selector.Parts{}, w.told[i], "at the end of %q", page[:after])
			continue
		}
		tags++
		if w.lost[i] {
			require.Equal(t, selector.Parts{}, w.told[i])
			continue
		}
		followed++
		for k := range c.matchers {
			if got := c.told(&w.told[i], k); got != want[k] {
				require.Equal(t, want[k], got, "%s at the end of %q", streamed[k], page[:after])
			}
		}
	}
	return tags, followed
}

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
	c = compileStreamed(t, streamed...)
	for _, page := range []string{
		"<p><b><b><b><b></p></b></b></b><i>", "<p><b id=x><b id=x><b id=x><b id=x></p></b></b></b><i>", "<b><b><b><b><p></b></b></b></b><i>",
	} {
		t.Run(page, func(t *testing.T) {
			tags, followed := c.compare(t, w, []byte(page))
			require.Equal(t, tags, followed)
		})
	}
}

// A template is followed to its end, and the page behind it too, unless drawings and tables make the end doubtful.
func TestTreeOfTemplates(t *testing.T) {
	c, w := compileStreamed(t, streamed...), new(watcher)
	for _, content := range []string{
		"", "<template></template>", "<template/></template><em>", "<svg><title></title><path/></svg><template></template>", "<object></object>",
		"<tr><td></td><th></th></tr>", "<table>", "<table><tr><td></td></tr>", "</table>", "<template><table></template></table>", "<table><caption></caption><tbody><tr><td><table><td></td></table></td></table>",
	} {
		t.Run(content, func(t *testing.T) {
			c.compare(t, w, []byte("<p><b><template>"+content+"</template></p><i>"))
			require.False(t, w.tree.lost)
		})
	}
	for _, content := range []string{
		"<svg><template></svg></template><em>", "<svg><td><template></td></svg></template><em>",
		"<math><mi><template></mi></math></template><em>", "<object><table><template></table></object></template><em>",
		"</td><td>", "</object><object>", "</caption><caption>", "<td></object>", "<td><table></td></table>", "<td><template></td></template>",
		"<td><object><td></td></object></td>", "<td><object><tr></object></td>", "<object></applet><object></object>",
	} {
		t.Run(content, func(t *testing.T) {
			c.compare(t, w, []byte("<p><b><template>"+content+"</template></p><i>"))
		})
	}
}

// Whether a page is in quirks mode is not known if the end of its document type is not.
func TestTreeOfLongTypes(t *testing.T) {
	c, w := compileStreamed(t, streamed...), new(watcher)
	for _, doctype := range []string{
		`PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN` + strings.Repeat("x", 250) + `" "s"`,
		strings.Repeat(" ", 300) + `SYSTEM "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"`,
	} {
		t.Run(doctype, func(t *testing.T) { c.compare(t, w, []byte("<!doctype html "+doctype+"><p><table>")) })
	}
}

// A NUL is no text, but it ends a column group.
func TestTreeOfNUL(t *testing.T) {
	c, w := compileStreamed(t, streamed...), new(watcher)
	c.compare(t, w, []byte("<table><col>\x00<col>"))
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
		c.compare(t, w, weavetest.Generated(r))
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

// The tree follows pages of widespread programs to their end, and selectors choose the elements that goquery chooses in
// the whole page.
func TestTreeOfWholePages(t *testing.T) {
	c, w := compileStreamed(t, streamed...), new(watcher)
	for _, page := range weavetest.Pages(t, "../../..") {
		w.watch(&c.program, page)
		require.False(t, w.tree.lost)
		want := c.chosenInWhole(t, page)
		for i, told := range w.told {
			for k := range c.matchers {
				require.Equal(t, want[i+1][k], c.told(&told, k), "%s at %q", streamed[k], page[max(0, w.after[i]-60):w.after[i]])
			}
		}
	}
}

// Pages that are made to cost much are given up, and little is kept of them.
func TestHostilePages(t *testing.T) {
	c, w := compileStreamed(t, "p > b", "td *", "div > .a b"), new(watcher)
	for name, page := range weavetest.Hostile {
		w.watch(&c.program, []byte(page))
		require.LessOrEqual(t, len(w.tree.open), nest.MaxDepth+1, name)
		require.LessOrEqual(t, len(w.tree.formatting), nest.MaxDepth+1, name)
		nodes := 0
		for n := w.tree.free; n != nil; n = n.next {
			nodes++
		}
		require.LessOrEqual(t, nodes, 4*nest.MaxDepth, name)
	}
}
