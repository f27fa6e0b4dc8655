package nest

import (
	"strings"

	a "golang.org/x/net/html/atom"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// Element is the rule of an element: how its start tag is followed.
type Element struct {
	Kind Kind
	// Atom is that of the name, or 0 for an element without a rule of its own.
	Atom a.Atom
	// Sets are the bits that the open element adds to the nesting.
	Sets Nesting

	name       token.Word
	mask, want Nesting // the element can be noted only if nesting&mask == want
	keeps      Nesting
	noted      bool // Tag notes it whatever its attributes are
}

// Kind is a kind of elements.
type Kind uint8

const (
	Other Kind = iota
	Void
	Formatting
	Drawing
	Shape // an element of drawings
	Taken // the follower takes it at once; in tables, its tag is read
	Read  // its tag is read
)

// elements holds the elements with rules of their own, by the slots of their names.
var elements = gatherElements()

// inline is an element without a rule of its own.
var inline = Element{mask: TableOpen | DrawingOpen, keeps: ^Last}

// Of returns the element of a name, or one that stands for all without a rule of their own.
func Of(name token.Word) *Element {
	if e := &elements[name.Slot()]; e.name == name {
		return e
	}
	return &inline
}

func gatherElements() *[token.Slots]Element {
	all := make(map[string]*Element)
	const (
		outside = TableOpen | DrawingOpen
		block   = outside | ParagraphOpen
	)
	rule := func(kind Kind, not, want, sets Nesting, names string) {
		for name := range strings.FieldsSeq(names) {
			all[name] = &Element{
				name: token.WordOf(name), Kind: kind, Atom: a.Lookup([]byte(name)),
				mask: not | want, want: want, keeps: inline.keeps, Sets: sets, noted: kind == Other || name == "a",
			}
		}
	}
	rule(Other, outside, 0, 0, "span label")
	rule(Other, block, 0, 0, "address article aside center details dialog dir div figure footer header hgroup main menu nav search section summary")
	rule(Other, block, 0, listLast, "ol ul")
	rule(Other, block, 0, definitionsLast, "dl")
	rule(Other, block, 0, ParagraphOpen, "p")
	rule(Other, block|headingLast, 0, headingLast, "h1 h2 h3 h4 h5 h6")
	rule(Other, block, listLast, 0, "li")
	rule(Other, block, definitionsLast, 0, "dd dt")
	rule(Other, outside|ButtonOpen, 0, ButtonOpen, "button")
	rule(Void, outside, 0, 0, "br img wbr source track link meta")
	rule(Other, block, 0, TableOpen|TableLast, "table")
	rule(Other, 0, TableLast, BodyLast, "tbody thead tfoot")
	rule(Other, 0, BodyLast, RowLast, "tr")
	rule(Other, 0, RowLast, 0, "td th")
	all["td"].keeps, all["th"].keeps = ParagraphOpen|ButtonOpen, ParagraphOpen|ButtonOpen
	for i, name := range [...]string{"a", "b", "big", "code", "em", "i", "s", "small", "strike", "strong", "tt", "u"} {
		rule(Formatting, outside|formattingOpen<<i, 0, formattingOpen<<i, name)
	}
	rule(Drawing, outside, 0, DrawingOpen, "svg")
	rule(Shape, TableOpen, 0, 0, "path g circle rect use line defs polygon ellipse symbol mask stop tspan")
	rule(Taken, 0, unknownOpen, 0, "form fieldset input hr area embed param")
	rule(Read, 0, unknownOpen, 0, `html head body base bgsound noframes template title frameset frame pre listing nobr font ruby applet
		marquee object keygen image textarea xmp iframe noembed noscript select option optgroup rb rtc rp rt math caption col colgroup script style`)

	table := new([token.Slots]Element)
	for name, e := range all {
		slot := &table[e.name.Slot()]
		if slot.name != 0 {
			panic("nest: two elements in one slot: " + name) // the names and the hash are part of the program
		}
		*slot = *e
	}
	return table
}
