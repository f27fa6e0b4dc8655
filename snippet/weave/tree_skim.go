package weave

import (
	"encoding/binary"

	a "golang.org/x/net/html/atom"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// Most elements that skimming opens are closed again before the scanner reads a tag. So skimming notes its elements on
// a stack of small entries. The tree makes nodes of the entries when it needs them.

// nesting is the part of the open elements' state that decides how skimming follows the next tag.
type nesting uint32

const (
	paragraphOpen nesting = 1 << iota
	buttonOpen
	tableOpen   // inside a table, but not inside one of its cells
	drawingOpen // inside an SVG
	unknownOpen // no element sets it, so an element that wants it is never noted

	// What the last open element is, and whether it has child elements.
	tableLast
	bodyLast // tbody, thead or tfoot
	rowLast
	headingLast
	listLast
	definitionsLast
	hasChildren

	formattingOpen // the first of twelve bits, one for each formatting element
	last           = tableLast | bodyLast | rowLast | headingLast | listLast | definitionsLast | hasChildren
	allFormatting  = ^(formattingOpen - 1)
)

// noted is an element that skimming has opened.
type noted struct {
	end    uint64  // the end tag without "</", shifted so that its ">" is the highest byte
	before nesting // the nesting around the element
	shift  uint8   // how many bits the end tag lacks to eight bytes
	plain  bool    // the start tag has no attributes
}

func (n *noted) name() token.Word { return token.Word(n.end<<8>>8) >> n.shift }

// skims says whether text cannot change the tree here, so that skimming may skip it.
func (t *tree) skims() bool {
	if t.lost || t.surveyed {
		return true
	}
	if n := len(t.formatting); n > 0 && t.formatting[n-1] != nil && !t.formatting[n-1].isOpen {
		return false
	}
	if _, open := t.blank.Open(); open {
		return false
	}
	return t.inert == 0 && t.mode >= inBody && t.mode <= inCell && t.mode != inTextOnly && t.mode != inColumnGroup && !t.framesetOK && t.top().space == htmlSpace
}

// maxSurveyed is how many formatting elements survey looks at.
const maxSurveyed = 16

// survey sets nesting and tellers from the open elements. Skimming starts from them.
func (t *tree) survey() {
	if t.noted == nil {
		t.noted = new([maxDepth]noted)
	}
	top := t.top()
	t.nesting = knownOf(token.Word(top.name)).sets & last
	switch t.mode {
	case inTable:
		t.nesting = t.nesting&tableLast | tableOpen
	case inTableBody:
		t.nesting = t.nesting&bodyLast | tableOpen
	case inRow:
		t.nesting = t.nesting&rowLast | tableOpen
	default:
		t.nesting &^= tableLast | bodyLast | rowLast
	}
	if t.paragraphs > 0 {
		t.nesting |= paragraphOpen
	}
	if t.buttons > 0 {
		t.nesting |= buttonOpen
	}
	if top.children {
		t.nesting |= hasChildren
	}
	for i := len(t.formatting) - 1; i >= 0 && t.formatting[i] != nil; i-- {
		t.nesting |= knownOf(token.Word(t.formatting[i].name)).sets & allFormatting
		if len(t.formatting)-i == maxSurveyed {
			t.nesting |= allFormatting // so that all tags of formatting elements are read
			break
		}
	}
	t.surveyed, t.tellers = true, 0
	if !top.dark {
		t.tellers = t.program.tellers(top.above)
	}
}

// settle opens the noted elements in the tree.
func (t *tree) settle() {
	if !t.surveyed {
		return
	}
	t.surveyed = false
	children := func(n nesting) { t.top().children = t.top().children || n&hasChildren != 0 }
	for i := range t.depth {
		n := &t.noted[i]
		children(n.before)
		t.takeBare(n.name(), false, n.plain)
	}
	children(t.nesting)
	t.depth = 0
}

// takeBare takes a tag whose attributes meet no condition. Unless the tag is plain, the tree cannot compare its
// attributes with those of another element.
func (t *tree) takeBare(name token.Word, end, plain bool) {
	t.tag = tag{atom: knownOf(name).atom, name: uint64(name), end: end}
	if !end {
		t.tag.own = t.program.bare(uint64(name))
	}
	if !plain {
		t.tag.traits = unlike
	}
	t.take()
}

// takes says whether skimming may note the element here, without a node in the tree.
func (t *tree) takes(e *known) bool {
	return t.nesting&e.mask == e.want && t.depth < maxDepth-len(t.open)
}

// note puts an element on the stack of noted elements. Its tag is at offset at. Its name has size bits.
func (t *tree) note(e *known, name token.Word, size int, plain bool, at int64) {
	n := &t.noted[t.depth]
	n.shift = uint8(56 - size)
	n.end, n.before, n.plain = (uint64(name)|'>'<<size)<<n.shift, t.nesting, plain
	t.nesting = t.nesting&e.keeps | e.sets
	t.depth++
	t.done = at + 1
}

// skimTag follows a tag whose attributes meet no condition: p[i:after], at offset at of the page. It returns false if
// the tag, or the text behind it, has to be read. skimTag handles frequent tags itself and leaves the others to
// skimUnusual.
func (t *tree) skimTag(p []byte, i, after int, at int64) bool {
	if at < t.done {
		return t.skims()
	}
	if !t.surveyed {
		t.survey()
	}
	x := binary.LittleEndian.Uint64(p[i+1:])
	if byte(x) == '/' {
		if n := uint(t.depth - 1); n < maxDepth {
			if e := &t.noted[n]; binary.LittleEndian.Uint64(p[i+2:])<<e.shift == e.end {
				t.nesting, t.depth, t.done = e.before|hasChildren, int(n), at+1
				return true
			}
		}
	} else {
		name, size, next := token.WordAt(x)
		if e := knownOf(name); e.noted && e.name == name && token.EndsName(next) && t.takes(e) && t.tellers&name.Bit() == 0 {
			t.note(e, name, size, next == '>', at)
			return true
		}
	}
	return t.skimUnusual(p, i, after, at)
}

// skimUnusual does what skimTag does, for any tag.
func (t *tree) skimUnusual(p []byte, i, after int, at int64) bool {
	name, behind, start := token.TagWord(p, i+1)
	plain := p[behind] == '>'
	if !start {
		return plain && t.skimEnd(at, name)
	}
	e := knownOf(name)
	switch {
	case name == 0:
		return false
	case !t.takes(e):
		return t.skimStart(at, name, e, plain)
	case !t.spares(name):
		return false
	}
	switch e.kind {
	case skimVoid:
		t.nesting |= hasChildren
		t.done = at + 1
		return true
	case skimFormatting:
		// The tree has to compare the attributes with those of the open formatting elements. Of <a>, only one is open.
		if !plain && e.atom != a.A && !endsAtOnce(p, after, name) {
			return false
		}
	case skimDrawing:
		t.drawingAt = at
	case skimShape:
		if t.nesting&drawingOpen != 0 && p[after-2] == '/' {
			t.done = at + 1
			return p[after-3] == '"' || p[after-3] == '\'' || p[after-3] == ' '
		}
	}
	t.note(e, name, 8*(behind-i-1), plain, at)
	return true
}

// skimStart takes a start tag that skimming cannot note, since it closes other elements or is moved out of a table. It
// returns false if the tag, or the text behind it, has to be read. The new element's parent is not known yet, so the
// tag is read if the last part of any selector fits its name.
func (t *tree) skimStart(at int64, name token.Word, e *known, plain bool) bool {
	own := t.program.bare(uint64(name))
	switch {
	case t.nesting&drawingOpen != 0, t.program.tells(&own), e.kind == skimRead, e.kind == skimDrawing,
		e.kind == skimTaken && t.nesting&tableOpen != 0, e.kind == skimFormatting && !plain:
		return false
	}
	t.settle()
	t.takeBare(name, false, plain)
	t.done = at + 1
	return t.skims()
}

// spares says whether no selector chooses an element of this name here, if its attributes meet no condition.
func (t *tree) spares(name token.Word) bool {
	if t.tellers&name.Bit() == 0 || t.nesting&drawingOpen != 0 {
		return true
	}
	t.settle()
	top := t.top()
	here := t.program.lead(t.program.bare(uint64(name)), top, !top.children)
	t.survey()
	return !t.program.tells(&here)
}

// skimAside adds an element that skimming skips together with its content, a script or a style. Its tag is at offset
// at. It returns false if the element has to be read.
func (t *tree) skimAside(at int64, name token.Word) bool {
	if at < t.done {
		return true
	}
	if !t.surveyed {
		t.survey()
	}
	if !t.spares(name) {
		return false
	}
	t.done = at + 1
	t.nesting |= hasChildren
	return true
}

// leaveDrawing drops the noted elements of the open SVG, so that its tags are followed again. It returns the offset of
// the SVG's start tag, and false if none is open.
func (t *tree) leaveDrawing() (at int64, left bool) {
	if t.nesting&drawingOpen == 0 {
		return 0, false
	}
	for t.nesting&drawingOpen != 0 {
		t.depth--
		t.nesting = t.noted[t.depth].before
	}
	t.done = t.drawingAt
	return t.drawingAt, true
}

// skimEnd takes the end tag at offset at. It returns false if the tag, or the text behind it, has to be read.
func (t *tree) skimEnd(at int64, name token.Word) bool {
	if t.depth > 0 && t.noted[t.depth-1].name() == name {
		t.depth--
		t.nesting, t.done = t.noted[t.depth].before|hasChildren, at+1
		return true
	}
	if name == 0 || t.nesting&drawingOpen != 0 {
		return false
	}
	t.settle()
	t.takeBare(name, true, true)
	t.done = at + 1
	return t.skims()
}
