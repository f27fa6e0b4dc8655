package selector

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/PuerkitoBio/goquery"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// whole is a selector that needs the whole page.
type whole struct {
	goquery.Matcher
	place int
}

// NeedsWhole says whether a place that is shown has a selector that a stream cannot follow.
func (p *Program) NeedsWhole(shown func(place int) bool) bool {
	return slices.ContainsFunc(p.wholes, func(w whole) bool { return shown(w.place) })
}

// Choose finds the elements in a page that are chosen by the selectors that a stream cannot follow, of the places that
// are shown. It returns the places by the ordinals of the elements' start tags, the first of which is 1. It parses the
// page with goquery, in a copy that has these ordinals as attributes. The error is that of the parser.
func (p *Program) Choose(page []byte, shown func(place int) bool) (map[int]int, error) {
	numbered, _ := Numbered(page)
	document, err := goquery.NewDocumentFromReader(bytes.NewReader(numbered))
	if err != nil {
		return nil, fmt.Errorf("parsing the page: %w", err)
	}
	chosen := make(map[int]int)
	for _, w := range p.wholes {
		if !shown(w.place) {
			continue
		}
		for _, node := range document.FindMatcher(w).Nodes {
			for _, a := range node.Attr {
				if a.Key != Ordinal {
					continue
				}
				ordinal, err := strconv.Atoi(a.Val)
				if _, taken := chosen[ordinal]; err == nil && !taken {
					chosen[ordinal] = w.place
				}
			}
		}
	}
	return chosen, nil
}

// Ordinal is the name of the attribute that [Numbered] adds.
const Ordinal = "data-svc-ordinal"

// Numbered returns a copy of a page in which each start tag has its ordinal as an attribute, and how many of them there
// are.
func Numbered(page []byte) (numbered []byte, tags int) {
	n := &numberer{page: page, out: make([]byte, 0, 2*len(page))}
	n.Reset(n)
	n.Feed(page)
	return append(n.out, page[n.copied:]...), n.ordinal
}

// numberer copies a page for Numbered.
type numberer struct {
	token.Tokenizer
	page    []byte
	out     []byte
	copied  int
	ordinal int
}

func (n *numberer) Tag(at int64, t *token.Tag) bool {
	if t.End {
		return false
	}
	n.ordinal++
	behind := int(at) + len("<")
	for behind < len(n.page) && !token.EndsName(n.page[behind]) {
		behind++
	}
	// Of several attributes with the same name, the first counts.
	n.out = append(n.out, n.page[n.copied:behind]...)
	n.out = append(n.out, " "+Ordinal+"="...)
	n.out = strconv.AppendInt(n.out, int64(n.ordinal), 10)
	n.out = append(n.out, ' ')
	n.copied = behind
	return false
}

func (n *numberer) TagEnd(int64, *token.Tag)   {}
func (n *numberer) Text(int64, []byte)         {}
func (n *numberer) Raw(int64, []byte)          {}
func (n *numberer) Attribute(*token.Attribute) {}
func (n *numberer) Doctype([]byte)             {}
