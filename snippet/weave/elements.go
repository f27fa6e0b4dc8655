package weave

import (
	"encoding/binary"
	"math/bits"
	"strings"

	a "golang.org/x/net/html/atom"
)

// known holds the traits and the rules of an element.
type known struct {
	name   word
	traits traits

	// How skimming follows its start tag.
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

// elements holds the elements with traits or rules of their own. longElements holds the traits of the few whose names
// are longer than a word.
var elements, longElements = gatherElements()

// elementTable is a hash table with one slot for each name, and without collisions.
type elementTable [1 << elementBits]known

const (
	elementBits = 10
	elementHash = 0xf39d846be9c062b7 // found by trial; no two names share a slot
)

func (w word) slot() int { return int(uint64(w) * elementHash >> (64 - elementBits)) }

// inline is an element without traits or rules of its own.
var inline = known{mask: tableOpen | drawingOpen, keeps: ^last}

// of returns the element of a name, or inline if the table has none.
func (t *elementTable) of(w word) *known {
	if e := &t[w.slot()]; e.name == w {
		return e
	}
	return &inline
}

func gatherElements() (*elementTable, map[string]traits) {
	all := make(map[string]*known)
	element := func(name string) *known {
		if all[name] == nil {
			e := inline
			all[name] = &e
		}
		return all[name]
	}
	for t, names := range map[traits]string{
		breaks: `address article aside audio blockquote body button canvas caption center col colgroup dd details
			dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head
			header hgroup html legend li main map marquee menu meter nav object ol p picture pre progress search
			section slot summary table tbody td template text tfoot th thead tr ul video select option optgroup datalist
			script style title textarea xmp iframe noembed noframes noscript plaintext svg math foreignobject desc annotation-xml
			img input hr br frame embed source track link meta base param area`,
		void:      "area base br col embed hr img input link meta param source track wbr frame keygen basefont bgsound",
		structure: "table thead tbody tfoot tr colgroup ul ol dl menu select datalist picture video audio object svg math map template html head",
		control:   "select option optgroup datalist",
		special: `select option optgroup datalist script style title textarea xmp iframe noembed noframes noscript plaintext
			svg math foreignobject desc annotation-xml mi mo mn ms mtext picture`,
	} {
		for name := range strings.FieldsSeq(names) {
			element(name).traits |= t
		}
	}
	const (
		outside = tableOpen | drawingOpen
		block   = outside | paragraphOpen
	)
	skim := func(kind skimKind, not, want, sets nesting, names string) {
		for name := range strings.FieldsSeq(names) {
			e := element(name)
			e.noted = kind == skimOther || name == "a"
			e.kind, e.mask, e.want, e.sets, e.atom = kind, not|want, want, sets, a.Lookup([]byte(name))
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
	element("td").keeps, element("th").keeps = paragraphOpen|buttonOpen, paragraphOpen|buttonOpen
	for i, name := range [...]string{"a", "b", "big", "code", "em", "i", "s", "small", "strike", "strong", "tt", "u"} {
		skim(skimFormatting, outside|formattingOpen<<i, 0, formattingOpen<<i, name)
	}
	skim(skimDrawing, outside, 0, drawingOpen, "svg")
	skim(skimShape, tableOpen, 0, 0, "path g circle rect use line defs polygon ellipse symbol mask stop tspan")
	skim(skimTaken, 0, unknownOpen, 0, "form fieldset input hr area embed param")
	skim(skimRead, 0, unknownOpen, 0, `html head body base bgsound noframes template title frameset frame pre listing nobr font ruby applet
		marquee object keygen image textarea xmp iframe noembed noscript select option optgroup rb rtc rp rt math caption col colgroup script style`)

	table, long := new(elementTable), make(map[string]traits)
	for name, e := range all {
		if len(name) > maxWord {
			long[name] = e.traits
			continue
		}
		e.name = wordOf(name)
		slot := &table[e.name.slot()]
		if slot.name != 0 {
			panic("weave: two elements in one slot: " + name) // the names and the hash are part of the program
		}
		*slot = *e
	}
	return table, long
}

const ones = 0x0101010101010101

// wordAt reads a name from the bytes of x, up to the first byte without the bit 0x40, which all letters have. It
// returns the name in lower case, its number of bits, and the byte behind it.
func wordAt(x uint64) (w word, size int, next byte) {
	size = bits.TrailingZeros64(^x&(0x40*ones)) &^ 7
	return word((x | 0x20*ones) & (1<<size - 1)), size, byte(x >> size)
}

// breaksLine says whether the tag whose "<" is at p[i] ends a line.
func breaksLine(p []byte, i int) bool {
	x := binary.LittleEndian.Uint64(p[i+1:])
	if byte(x) == '/' {
		x >>= 8
	}
	w, _, next := wordAt(x)
	e := elements.of(w)
	if e.name != w || !endsName(next) {
		w, _, _ = tagWord(p, i+1)
		e = elements.of(w)
	}
	return e.traits&breaks != 0
}
