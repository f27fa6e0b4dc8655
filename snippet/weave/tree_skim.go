package weave

import (
	"encoding/binary"

	a "golang.org/x/net/html/atom"
)

// Most elements that are skimmed end again before anything is read. So skimming notes those that it opens on a small stack,
// with what the open elements mean to the next tag, and makes nodes of them when the tree is needed.

// nesting is what of the open elements decides how skimming follows a tag.
type nesting uint32

const (
	paragraphOpen nesting = 1 << iota
	buttonOpen
	tableOpen   // outside of its cells
	drawingOpen // an SVG
	unknownOpen // never

	// What the last open element is.
	tableLast
	bodyLast // of a table
	rowLast
	headingLast
	listLast
	definitionsLast
	hasChildren

	formattingOpen // a bit for each element
	last           = tableLast | bodyLast | rowLast | headingLast | listLast | definitionsLast | hasChildren
	allFormatting  = ^(formattingOpen - 1)
)

// noted is an element that skimming has opened.
type noted struct {
	end    uint64  // its end tag behind the slash, of which the last is the highest byte
	before nesting // around it
	shift  uint8   // by how many bits the end tag is short of eight bytes
	plain  bool    // without attributes
}

func (n *noted) name() word { return word(n.end<<8>>8) >> n.shift }

// skims says whether text means nothing to the tree here, so that it may be passed over.
func (t *tree) skims() bool {
	if t.lost || t.surveyed {
		return true
	}
	if n := len(t.formatting); n > 0 && t.formatting[n-1] != nil && !t.formatting[n-1].isOpen {
		return false
	}
	return t.inert == 0 && t.mode >= inBody && t.mode <= inCell && t.mode != inTextOnly && t.mode != inColumnGroup && !t.framesetOK &&
		len(t.blank.open) == 0 && t.top().space == htmlSpace
}

// survey finds out what is open, for skimming to go on from.
func (t *tree) survey() {
	if t.noted == nil {
		t.noted = new([maxDepth]noted)
	}
	top := t.top()
	t.nesting = elements.of(word(top.name)).sets & last
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
		t.nesting |= elements.of(word(t.formatting[i].name)).sets & allFormatting
	}
	t.surveyed, t.tellers = true, 0
	if !top.dark {
		t.tellers = t.program.tellers(top.above)
	}
}

// settle makes nodes of what skimming has opened.
func (t *tree) settle() {
	if !t.surveyed {
		return
	}
	t.surveyed = false
	top := t.top()
	for i := range t.depth {
		e, n := &t.noted[i], t.blankNode()
		known := elements.of(e.name())
		n.atom, n.name, n.parent, n.first, n.dark = known.atom, uint64(e.name()), top, e.before&hasChildren == 0, top.dark
		n.own = t.program.bare(n.name)
		n.here = t.program.lead(n.own, top, n.first)
		for i := range n.here {
			n.above[i] = top.above[i] | n.here[i]
		}
		if top.children = true; top != &t.root {
			top.holders++
		}
		t.push(n)
		switch top = n; known.kind {
		case skimFormatting:
			if !e.plain {
				n.traits = unlike
			}
			t.list(n)
		case skimTable:
			t.mode = inTable
		case skimBody:
			t.mode = inTableBody
		case skimRow:
			t.mode = inRow
		case skimCell:
			t.list(nil)
			t.mode = inCell
		}
	}
	top.children = top.children || t.nesting&hasChildren != 0
	t.depth = 0
}

// takes says whether an element may be noted where it begins.
func (t *tree) takes(e *known) bool {
	return t.nesting&e.mask == e.want && t.depth < maxDepth-len(t.open)
}

// note opens an element, at the offset at, whose name has so many bits.
func (t *tree) note(e *known, name word, size int, plain bool, at int64) {
	n := &t.noted[t.depth]
	n.shift = uint8(56 - size)
	n.end, n.before, n.plain = (uint64(name)|'>'<<size)<<n.shift, t.nesting, plain
	t.nesting = t.nesting&e.keeps | e.sets
	t.depth++
	t.done = at + 1
}

// skimTag follows the tag from p[i] to p[after], at the offset at, whose attributes meet no condition. It gives false, and
// has changed nothing, where the tag has to be read.
func (t *tree) skimTag(p []byte, i, after int, at int64) bool {
	if at < t.done {
		return true
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
		name, size, next := wordAt(x)
		if e := elements.of(name); e.noted && e.name == name && endsName(next) && t.takes(e) && t.tellers&name.teller() == 0 {
			t.note(e, name, size, next == '>', at)
			return true
		}
	}
	return t.skimUnusual(p, i, after, at)
}

// skimUnusual is skimTag for all tags.
func (t *tree) skimUnusual(p []byte, i, after int, at int64) bool {
	name, behind, start := tagWord(p, i+1)
	plain := p[behind] == '>'
	if !start {
		return t.skimEnd(at, name, plain)
	}
	e := elements.of(name)
	if name == 0 || !t.takes(e) || !t.spares(name) {
		return false
	}
	switch e.kind {
	case skimVoid:
		t.nesting |= hasChildren
		t.done = at + 1
		return true
	case skimFormatting:
		if !plain && e.atom != a.A && !endsAtOnce(p, after, name) { // several with the same attributes may be open
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

// spares says whether no selector leads to an element of this name that begins here.
func (t *tree) spares(name word) bool {
	if t.tellers&name.teller() == 0 || t.nesting&drawingOpen != 0 {
		return true
	}
	t.settle()
	top := t.top()
	here := t.program.lead(t.program.bare(uint64(name)), top, !top.children)
	t.survey()
	return !t.program.tells(&here)
}

// skimAside takes an element at the offset at whose tags are passed over together, with its content.
func (t *tree) skimAside(at int64, name word) bool {
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

// leaveDrawing forgets the drawing that is open, if there is one, and says where it begins.
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

// skimEnd takes the end tag at the offset at. It gives false, and has changed nothing, where the tag has to be read.
func (t *tree) skimEnd(at int64, name word, plain bool) bool {
	if name == 0 || !plain {
		return false
	}
	if t.depth > 0 {
		e := &t.noted[t.depth-1]
		if e.name() != name {
			return false
		}
		t.nesting, t.depth, t.done = e.before|hasChildren, t.depth-1, at+1
		return true
	}
	n, rule := t.top(), elements.of(name)
	if n.name != uint64(name) || n.space != htmlSpace || rule.want == unknownOpen {
		return false
	}
	formatting := len(t.formatting) - 1
	switch rule.kind {
	case skimVoid, skimDrawing:
		return false
	case skimFormatting:
		if formatting < 0 || t.formatting[formatting] != n {
			return false
		}
	case skimTable, skimBody, skimRow:
		if t.nesting&rule.sets&last == 0 {
			return false
		}
	case skimCell:
		if t.mode != inCell || formatting < 0 || t.formatting[formatting] != nil {
			return false
		}
	}
	if t.nesting&tableOpen != 0 && rule.kind < skimTable {
		return false
	}
	t.settle()
	t.pop()
	switch rule.kind {
	case skimFormatting:
		t.unlist(formatting)
	case skimTable:
		t.resetMode()
	case skimBody:
		t.mode = inTable
	case skimRow:
		t.mode = inTableBody
	case skimCell:
		t.unlist(formatting)
		t.mode = inRow
	}
	t.done = at + 1
	return true
}
