package weave

import (
	"strings"

	a "golang.org/x/net/html/atom"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// known says how skimming follows the start tag of an element.
type known struct {
	name       token.Word
	kind       skimKind
	atom       a.Atom
	mask, want nesting // skimming notes the element only if nesting&mask == want
	keeps      nesting
	sets       nesting
	noted      bool // skimTag notes it whatever its attributes are
}

type skimKind uint8

const (
	skimOther skimKind = iota
	skimVoid
	skimFormatting
	skimDrawing
	skimShape // an element of drawings
	skimTaken // goes into the tree at once; in tables, its tag is read
	skimRead
)

// elements holds the elements with rules of their own, by the slots of their names.
var elements = gatherElements()

// inline is an element without rules of its own.
var inline = known{mask: tableOpen | drawingOpen, keeps: ^last}

// knownOf returns the element of a name, or inline if it has no rules of its own.
func knownOf(w token.Word) *known {
	if e := &elements[w.Slot()]; e.name == w {
		return e
	}
	return &inline
}

func gatherElements() *[token.Slots]known {
	all := make(map[string]*known)
	const (
		outside = tableOpen | drawingOpen
		block   = outside | paragraphOpen
	)
	skim := func(kind skimKind, not, want, sets nesting, names string) {
		for name := range strings.FieldsSeq(names) {
			all[name] = &known{
				name: token.WordOf(name), kind: kind, atom: a.Lookup([]byte(name)),
				mask: not | want, want: want, keeps: inline.keeps, sets: sets, noted: kind == skimOther || name == "a",
			}
		}
	}
	skim(skimOther, outside, 0, 0, "span label")
	skim(skimOther, block, 0, 0, "address article aside center details dialog dir div figure footer header hgroup main menu nav search section summary")
	skim(skimOther, block, 0, listLast, "ol ul")
	skim(skimOther, block, 0, definitionsLast, "dl")
	skim(skimOther, block, 0, paragraphOpen, "p")
	skim(skimOther, block|headingLast, 0, headingLast, "h1 h2 h3 h4 h5 h6")
	skim(skimOther, block, listLast, 0, "li")
	skim(skimOther, block, definitionsLast, 0, "dd dt")
	skim(skimOther, outside|buttonOpen, 0, buttonOpen, "button")
	skim(skimVoid, outside, 0, 0, "br img wbr source track link meta")
	skim(skimOther, block, 0, tableOpen|tableLast, "table")
	skim(skimOther, 0, tableLast, bodyLast, "tbody thead tfoot")
	skim(skimOther, 0, bodyLast, rowLast, "tr")
	skim(skimOther, 0, rowLast, 0, "td th")
	all["td"].keeps, all["th"].keeps = paragraphOpen|buttonOpen, paragraphOpen|buttonOpen
	for i, name := range [...]string{"a", "b", "big", "code", "em", "i", "s", "small", "strike", "strong", "tt", "u"} {
		skim(skimFormatting, outside|formattingOpen<<i, 0, formattingOpen<<i, name)
	}
	skim(skimDrawing, outside, 0, drawingOpen, "svg")
	skim(skimShape, tableOpen, 0, 0, "path g circle rect use line defs polygon ellipse symbol mask stop tspan")
	skim(skimTaken, 0, unknownOpen, 0, "form fieldset input hr area embed param")
	skim(skimRead, 0, unknownOpen, 0, `html head body base bgsound noframes template title frameset frame pre listing nobr font ruby applet
		marquee object keygen image textarea xmp iframe noembed noscript select option optgroup rb rtc rp rt math caption col colgroup script style`)

	table := new([token.Slots]known)
	for name, e := range all {
		slot := &table[e.name.Slot()]
		if slot.name != 0 {
			panic("weave: two elements in one slot: " + name) // the names and the hash are part of the program
		}
		*slot = *e
	}
	return table
}
