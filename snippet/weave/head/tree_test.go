package head_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

const element = `<script id="inserted"></script>`

// treeOf parses a page as browsers do, and writes its tree down without the inserted element. ran says whether browsers
// would run that element, and before is how many scripts stand before it.
func treeOf(t testing.TB, page string) (tree string, ran bool, before int) {
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var inserted *html.Node
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode && c.Data == "script" && inserted == nil {
				if slices.Contains(c.Attr, html.Attribute{Key: "id", Val: "inserted"}) {
					inserted = c
				} else {
					before++
				}
			}
			if c.Data != "template" {
				visit(c)
			}
		}
	}
	visit(root)
	if inserted != nil {
		ran = inserted.Namespace == ""
		parent, previous, next := inserted.Parent, inserted.PrevSibling, inserted.NextSibling
		parent.RemoveChild(inserted)
		if previous != nil && next != nil && previous.Type == html.TextNode && next.Type == html.TextNode {
			previous.Data += next.Data
			parent.RemoveChild(next)
		}
	}
	var b strings.Builder
	var write func(n *html.Node, depth int)
	write = func(n *html.Node, depth int) {
		fmt.Fprintf(&b, "%d %d %s %q %q\n", depth, n.Type, n.Namespace, n.Data, n.Attr)
		for c := range n.ChildNodes() {
			write(c, depth+1)
		}
	}
	write(root, 0)
	return b.String(), ran, before
}

// FuzzTree checks that the insertion changes the page's tree only by the new element, which is a script that runs
// before all others.
func FuzzTree(f *testing.F) {
	for _, page := range corpus {
		f.Add(page)
	}
	f.Add("<html><head></head>" + strings.Repeat("<b>", 600))
	f.Add("<html><head></head><svg><input>x</svg>")
	f.Add("<html>&#x" + strings.Repeat("0", 300) + "9")
	var finder head.Finder
	f.Fuzz(func(t *testing.T, page string) {
		finder.Reset(true)
		verdict := finder.Feed([]byte(page))
		if verdict == head.Undecided {
			verdict = finder.Finish()
		}
		if verdict != head.Found || strings.Contains(page, "inserted") {
			return
		}
		if strings.Contains(page, strings.Repeat("0", 257)) {
			return // white space may be written with more zeros than token.Blank waits for
		}
		if _, err := html.Parse(strings.NewReader(page + element)); err != nil {
			return // of elements in each other, it takes 512
		}
		want, _, _ := treeOf(t, page)
		got, ran, before := treeOf(t, page[:finder.Place()]+element+page[finder.Place():])
		require.True(t, ran)
		require.Zero(t, before)
		require.Equal(t, want, got)
	})
}
