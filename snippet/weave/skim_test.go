package weave

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave/weavetest"
)

// skimmedPieces are the parts of generated pages that are skimmed.
var skimmedPieces = strings.Split("<div class=x>|<div>|</div>|<p>|</p>|<span>|</span>|<a href='/a'>|<a>|</a>|<b>|</b>|<b id=a>|<i>|</i>|<ul>|</ul>|<li>|</li>|<dl>|<dt>|<dd>|</dl>|<h1>|</h1>|<h2>|</h2>|<table>|</table>|<tbody>|</tbody>|<thead>|<tr>|</tr>|<td>|</td>|<td class=phone>|<th>|</th>|"+
	"<caption>|</caption>|<br>|<img src=a>|<script>a<b</script>|<style>p{}</style>|<svg><path d='M0'/></svg>|<svg>|</svg>|<template>|</template>|<button>|</button>|<form>|</form>|<select>|<option>|</select>|<font size=1>|</font>|<em>|</em>|<p class=phone>|<x-y>|</x-y>|"+
	"<section>|</section>|<object>|</object>|<ruby>|<rt>|</ruby>|<pre>\n|</pre>|<hr>|<input>|<noscript><p></noscript>|<textarea></textarea>|<nobr>|</nobr>|<!-- a -->|&nbsp;|&#32;|text |\n|8 495 123-45-67|123-45-67| 1|</body>|</html>|<div hidden>|<p title='a>b'>|<col>|<p id=x lang=en-us>|"+
	"<p lang=\"en-us\">|<a class=\"x y\" href=\"/a?b=c&amp;d\">|<b title=\"x\">|<li class=\"x\">|<td class=\"a phone\">|<i class=\"&#112;hone\">|<div hidden>|<div class=\"row\" data-x=\"12345678901\">|<img src=\"/12345678901.png\" alt=\"a\">|<img alt=\"8 495 123-45-67\">|"+
	"<svg class=\"i\"><path d=\"M12 3456789 0\"/></svg>|a paragraph that goes on for some time |12&nbsp;345&nbsp;₽|1 234 |&#160;|<del>|</del>|<section lang=\"en\">|<path d=0\"/>|<path d=0/>|<path d=\"M0\" />|<path d='0'/>|<g>|<g fill=none>|</g>|<path/>|<article id=\"x\">|<span class=\"price\">|</article>", "|")

func skimmable(r *rand.Rand) []byte {
	page := []byte("<!doctype html><html><head><title>a</title></head><body>")
	for range r.IntN(60) {
		page = append(page, skimmedPieces[r.IntN(len(skimmedPieces))]...)
	}
	return page
}

// openElements returns what the tree knows of the open elements.
func openElements(z *PairReplacer) []string {
	tree := &z.scanner.skimmer.Tree
	tree.Settle()
	return tree.Describe()
}

// checkSkim compares skimming with reading, for a page in two pieces.
func checkSkim(t *testing.T, quick, patient *PairReplacer, page []byte, cut int) {
	page = append(page, strings.Repeat(" \n", 100)...)
	cut = max(cut, 0) % (len(page) + 1)
	for _, z := range []*PairReplacer{quick, patient} {
		z.Reset(char.UTF8)
	}
	var got, want []byte
	for _, piece := range [][]byte{page[:cut], page[cut:]} {
		got, want = quick.Append(got, piece), patient.Append(want, piece)
	}
	require.Equal(t, string(want), string(got), "%q", page)
	if !patient.scanner.skimmer.Tree.Lost() && len(quick.scanner.scopes.open) == 0 {
		require.Equal(t, openElements(patient), openElements(quick), "%q", page)
	}
}

func newSkimmers(t testing.TB) (quick, patient *PairReplacer) {
	number := Number{Selectors: []string{"div > .phone", "p > b:first-child", "td:first-child", "li a", "ul > li:not(.x) > b", "p[title]", "#x", "table b", "section > *", "b[title^=x]", "[lang|=en] i", "a[href*=c]"}}
	rules := CompilePairs(t, Pair{Old: "74951234567", Fresh: "74957654321", Number: number})
	require.False(t, rules.NeedsWhole(rules.Shown))
	quick, patient = rules.NewReplacer(), rules.NewReplacer()
	patient.ReadAll()
	return quick, patient
}

func TestSkimmingFollowsTheTree(t *testing.T) {
	quick, patient := newSkimmers(t)
	for _, page := range []string{
		`000000<svg><path d=0"/></svg><section><a>`,           // the slash is in the value
		`₽<x-y><style></style>4951234567<p>₽<b>x</b></p>1`,    // the line with the price ends where the style begins
		`₽<x-y><script>a</script>4951234567<p>₽<b>x</b></p>1`, // the line with the price ends where the script begins
	} {
		checkSkim(t, quick, patient, []byte(page), 0)
	}
	r := rand.New(rand.NewPCG(11, 12))
	for range 5000 {
		checkSkim(t, quick, patient, skimmable(r), r.Int())
		checkSkim(t, quick, patient, weavetest.Generated(r), r.Int())
	}
}

func FuzzSkim(f *testing.F) {
	quick, patient := newSkimmers(f)
	r := rand.New(rand.NewPCG(13, 14))
	for range 50 {
		f.Add(skimmable(r), 7)
	}
	f.Fuzz(func(t *testing.T, page []byte, cut int) { checkSkim(t, quick, patient, page, cut) })
}

// Skimming whole pages changes nothing.
func TestSkimmingWholePages(t *testing.T) {
	quick, patient := newSkimmers(t)
	for _, page := range weavetest.Pages(t, "../..") {
		for cut := 0; cut < len(page); cut += max(97, len(page)/50) {
			checkSkim(t, quick, patient, page, cut)
		}
	}
}

// Pages that are made to cost much are given up by the tree. Nothing breaks.
func TestHostilePagesForSelectors(t *testing.T) {
	selectors := []string{"p > b", "td *"}
	for i := range 1000 {
		selectors = append(selectors, fmt.Sprintf("div > .a%d b", i))
	}
	rules := CompilePairs(t, Pair{Old: "74951234567", Fresh: "74957654321", Number: Number{Selectors: selectors}})
	require.True(t, rules.NeedsWhole(rules.Shown), "there is no room for all in the stream")
	for name, page := range weavetest.Hostile {
		t.Run(name, func(t *testing.T) {
			z := rules.NewReplacer()
			page += "<i>8 495 123-45-67</i>"
			for _, piece := range []int{len(page), 1000} {
				z.Reset(char.UTF8)
				var out []byte
				for rest := page; rest != ""; rest = rest[min(piece, len(rest)):] {
					out = z.Append(out, []byte(rest[:min(piece, len(rest))]))
				}
				require.Equal(t, strings.Replace(page, "123-45-67", "765-43-21", 1), string(z.Finish(out)))
			}
		})
	}
}
