package weave

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave/edit"
	"github.com/seed-3405227d/frontdesk/snippet/weave/weavetest"
)

// evenRules pour every writing of their numbers, so that no byte of a page moves.
func evenRules(t testing.TB) *PairRules {
	return CompilePairs(t, Pair{Old: "74951234567", Fresh: "74957654321"}, Pair{Old: "442079460018", Fresh: "442079460817"})
}

// placedRules have places of every kind as well.
func placedRules(t testing.TB) *PairRules {
	return CompilePairs(t, Pair{Old: "74951234567", Fresh: "442079460018", URL: "/p.svg", Number: Number{
		Targets: []string{"#callme", ".phone", "[name=tel]"}, Pictures: []string{"img.a", ".b"}, Selectors: []string{"p > b", "div i", "b:nth-child(2)"},
	}})
}

// changesOf returns all changes of a page that is read at once.
func changesOf(z *PairReplacer, page []byte) []edit.Edit {
	z.Reset(char.UTF8)
	z.window.Next(page)
	z.scanner.skimmer.Tree.Bound.Add(len(page))
	z.scanner.Feed(page)
	z.scanner.end()
	return z.scanner.edits.List
}

func replaceAll(z *PairReplacer, chosen []byte, pieces ...[]byte) []byte {
	z.Reset(char.UTF8)
	if chosen != nil && z.Choose(chosen) != nil {
		return nil
	}
	var out []byte
	for _, p := range pieces {
		out = z.Append(out, append([]byte(nil), p...))
	}
	return z.Finish(out)
}

// checkPage checks the properties of every page.
func checkPage(t *testing.T, even, placed, patient *PairReplacer, page []byte, cuts ...int) {
	// Without the changes, the output is the page.
	out := replaceAll(even, nil, page)
	changes, at := changesOf(even, page), int64(0)
	var want, fitted []byte // want has all changes; fitted lacks the plus signs that links get
	for _, e := range changes {
		require.LessOrEqual(t, at, e.Start, "changes overlap")
		require.LessOrEqual(t, e.Start, e.End)
		want = append(append(want, page[at:e.Start]...), e.Text...)
		text := e.Text
		if int64(len(text)) > e.End-e.Start {
			text = bytes.Replace(text, []byte("+"), nil, 1)
		}
		fitted = append(append(fitted, page[at:e.Start]...), text...)
		at = e.End
	}
	require.Equal(t, string(append(want, page[at:]...)), string(out))
	fitted = append(fitted, page[at:]...)

	// Skimming skips nothing that matters.
	require.Equal(t, string(out), string(replaceAll(patient, nil, page)))

	// These numbers fit: no byte moves, and only digits change.
	require.Len(t, fitted, len(page))
	if lower := bytes.ToLower(page); !bytes.Contains(lower, []byte("<svg")) && !bytes.Contains(lower, []byte("<math")) && !weavetest.Misread.Match(page) {
		// What is markup inside of SVG and MathML depends on the tree. The tokenizer knows only as much of the tree as
		// pages with real pictures and formulas need.
		require.Equal(t, shapeOf(page), shapeOf(fitted))
	}

	// Cuts change nothing.
	placed.Reset(char.UTF8)
	full := replaceAll(placed, page, page)
	for _, cut := range cuts {
		cut %= len(page) + 1
		require.Equal(t, string(out), string(replaceAll(even, nil, page[:cut], page[cut:])), cut)
		require.Equal(t, string(full), string(replaceAll(placed, page, page[:cut], page[cut:])), cut)
	}
}

// shapeOf returns the page's tree as browsers build it. Where numbers are searched, all digits are made the same.
func shapeOf(page []byte) string {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return err.Error() // of elements in each other, it takes 512
	}
	alike := func(s string) string {
		return strings.Map(func(r rune) rune {
			for _, zero := range []rune{'0', 0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xE50, 0xED0, 0x1040, 0x17E0, 0xFF10} {
				if zero <= r && r <= zero+9 {
					return zero
				}
			}
			return r
		}, s)
	}
	var b strings.Builder
	var walk func(n *html.Node, depth int)
	walk = func(n *html.Node, depth int) {
		data := n.Data
		text := n.Type == html.TextNode && (n.Parent == nil || n.Parent.Data != "style" && n.Parent.Data != "textarea")
		if text {
			data = alike(data)
		}
		fmt.Fprintf(&b, "%d %d %s %q", depth, n.Type, n.Namespace, data)
		for _, a := range n.Attr {
			switch a.Key {
			case "href", "alt", "title", "aria-label", "content":
				fmt.Fprintf(&b, " %s=%q", a.Key, alike(a.Val))
			default:
				fmt.Fprintf(&b, " %s=%q", a.Key, a.Val)
			}
		}
		b.WriteByte('\n')
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, depth+1)
		}
	}
	walk(root, 0)
	return b.String()
}

func newTrio(t testing.TB) (even, placed, patient *PairReplacer) {
	even, placed, patient = evenRules(t).NewReplacer(), placedRules(t).NewReplacer(), evenRules(t).NewReplacer()
	patient.ReadAll()
	return even, placed, patient
}

func TestPropertiesOfGeneratedPages(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	even, placed, patient := newTrio(t)
	for range 1500 {
		checkPage(t, even, placed, patient, weavetest.Generated(r), r.Int(), r.Int(), r.Int())
	}
}

// The shop's pages are written by hand, and the others made by widespread programs.
func TestPropertiesOfWholePages(t *testing.T) {
	even, placed, patient := newTrio(t)
	for _, page := range weavetest.Pages(t, "../..") {
		var cuts []int
		for cut := 1; cut < len(page); cut += max(97, len(page)/100) {
			cuts = append(cuts, cut)
		}
		checkPage(t, even, placed, patient, page, cuts...)
	}
}

func FuzzReplacer(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		f.Add(weavetest.Generated(r), 7)
	}
	f.Add([]byte(strings.Repeat("<b>", 600)), 7)
	f.Add([]byte("<p>8 495 123-45-67<!--"+strings.Repeat("x", 20_000)+"--><span class=phone>call</span>"), 15_000)
	even, placed, patient := newTrio(f)
	f.Fuzz(func(t *testing.T, page []byte, cut int) {
		checkPage(t, even, placed, patient, page, max(cut, 0))
	})
}

// Of any page, little is kept.
func TestMemoryIsBounded(t *testing.T) {
	for name, page := range map[string]struct{ begin, repeat string }{
		"digits":               {"<p>", "1234567890 "},
		"a number":             {"<p>", "+7 (495) 123-45-67, "},
		"a number in tags":     {"<p>", "<b>8 495 <i>123</i>-45-67</b>"},
		"tags in a number":     {"<p>8 495 123", "<b></b>"},
		"a comment in one":     {"<p>8 495 123<!--", " a"},
		"an attribute":         {"<a href=\"tel:", "84951234567"},
		"attributes":           {"<a ", "title='8 495 123 45 67' "},
		"a name":               {"<a ", "a"},
		"a tag's name":         {"<", "a"},
		"a noscript":           {"<noscript>", "<a href='tel:84951234567'>8 495 123 45 67</a>"},
		"a script":             {"<script>", "__next_f 84951234567\n"},
		"data":                 {"<script id=__NEXT_DATA__>", "84951234567"},
		"a target":             {"<p class=phone>", "<b>1</b>"},
		"targets":              {"<p>", "<b class=phone>123-45-67"},
		"what is spared":       {"<p data-svc-noswap>", "<b><p>84951234567"},
		"references":           {"<p>8", "&#52;&#57;&#53; "},
		"an open reference":    {"<p>8&#", "0"},
		"nothing":              {"", "\x00"},
		"less than":            {"<p>", "<"},
		"a doctype":            {"<!doctype ", "html"},
		"a foreign vocabulary": {"<svg>", "<desc><svg>"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, rules := range []*PairRules{evenRules(t), placedRules(t)} {
				z := rules.NewReplacer()
				z.Reset(char.UTF8)
				piece := []byte(strings.Repeat(page.repeat, 16<<10/len(page.repeat)))
				out := z.Append(nil, []byte(page.begin))
				var in, came int
				for range 256 {
					out = z.Append(out[:0], piece)
					in, came = in+len(piece), came+len(out)
					require.LessOrEqual(t, z.window.Held(), 48<<10)
					require.LessOrEqual(t, z.scanner.edits.Ink(), 128<<10)
					require.LessOrEqual(t, cap(z.scanner.edits.List), 8<<10)
					require.LessOrEqual(t, cap(z.scanner.scratch), 48<<10)
				}
				require.Positive(t, came)
			}
		})
	}
}
