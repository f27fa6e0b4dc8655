package weave

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/PuerkitoBio/goquery"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// Choose finds the elements of the selectors that the stream cannot follow, in the page that the replacer reads next.
// It has to be called after Reset. It parses the page with goquery, in a copy that has the ordinal of each start tag as
// an attribute. The error is that of the parser.
func (z *Replacer) Choose(page []byte) error {
	numbered := new(numberer)
	document, err := goquery.NewDocumentFromReader(bytes.NewReader(numbered.number(page)))
	if err != nil {
		return fmt.Errorf("parsing the page: %w", err)
	}
	chosen := make(map[int]int)
	rules := z.scanner.rules
	for _, selector := range rules.selectors {
		if z.scanner.shown.of(rules.places[selector.place].number) == nil {
			continue
		}
		for _, node := range document.FindMatcher(selector).Nodes {
			for _, a := range node.Attr {
				if a.Key != ordinalName {
					continue
				}
				ordinal, err := strconv.Atoi(a.Val)
				if _, taken := chosen[ordinal]; err == nil && !taken {
					chosen[ordinal] = selector.place
				}
			}
		}
	}
	z.scanner.chosen = chosen
	return nil
}

// Choice is the result of Choose for a page. It is immutable.
type Choice struct{ places map[int]int }

// Len returns how many elements are chosen.
func (c Choice) Len() int { return len(c.places) }

// Choice returns the result of Choose. It is valid for every page with the same bytes and the same replaced numbers,
// whichever numbers replace them.
func (z *Replacer) Choice() Choice { return Choice{z.scanner.chosen} }

// Recall does what Choose does, from an earlier choice for the same page.
func (z *Replacer) Recall(c Choice) { z.scanner.chosen = c.places }

const ordinalName = "data-svc-ordinal"

// numberer copies a page and adds to each start tag an attribute with its ordinal.
type numberer struct {
	token.Tokenizer
	page    []byte
	out     []byte
	copied  int
	ordinal int
}

func (n *numberer) number(page []byte) []byte {
	n.page, n.out = page, make([]byte, 0, 2*len(page))
	n.Reset(n)
	n.Feed(page)
	return append(n.out, page[n.copied:]...)
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
	n.out = append(n.out, " "+ordinalName+"="...)
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
