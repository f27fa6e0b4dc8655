package weave

import (
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
	name   word
	rule   *skimRule
	before nesting // around it
	plain  bool    // without attributes
}

// skimRule tells how skimming follows the start tags of an element.
type skimRule struct {
	name       word
	atom       a.Atom
	kind       skimKind
	mask, want nesting // it is read unless what is open is this
	keeps      nesting
	sets       nesting
}

type skimKind uint8

const (
	skimOther skimKind = iota
	skimVoid
	skimFormatting
	skimDrawing
	skimShape // an element of drawings
	skimTable
	skimBody
	skimRow
	skimCell
)

// skimmed are the elements with rules of their own that skimming knows; all others of these lengths are inline.
var skimmed, skimInline = gatherSkimmed()

type skimTableOf [512]skimRule

func gatherSkimmed() (*skimTableOf, *skimRule) {
	const outside = tableOpen | drawingOpen
	table := new(skimTableOf)
	add := func(name string, r skimRule) {
		r.name = wordOf(name)
		i := r.name.slot()
		for table[i].name != 0 {
			i = (i + 1) % len(table)
		}
		table[i] = r
	}
	rule := func(kind skimKind, not, want, sets nesting) skimRule {
		return skimRule{kind: kind, mask: not | want, want: want, sets: sets, keeps: ^last}
	}
	known := func(r skimRule, atoms ...a.Atom) {
		for _, r.atom = range atoms {
			add(r.atom.String(), r)
		}
	}
	block := paragraphOpen | outside
	known(rule(skimOther, block, 0, 0), a.Address, a.Article, a.Aside, a.Center, a.Details, a.Dialog, a.Dir, a.Div, a.Figure, a.Footer,
		a.Header, a.Hgroup, a.Main, a.Menu, a.Nav, a.Search, a.Section, a.Summary)
	known(rule(skimOther, block, 0, listLast), a.Ol, a.Ul)
	known(rule(skimOther, block, 0, definitionsLast), a.Dl)
	known(rule(skimOther, block, 0, paragraphOpen), a.P)
	known(rule(skimOther, block|headingLast, 0, headingLast), a.H1, a.H2, a.H3, a.H4, a.H5, a.H6)
	known(rule(skimOther, block, listLast, 0), a.Li)
	known(rule(skimOther, block, definitionsLast, 0), a.Dd, a.Dt)
	known(rule(skimOther, buttonOpen|outside, 0, buttonOpen), a.Button)
	known(rule(skimVoid, outside, 0, 0), a.Br, a.Img, a.Wbr, a.Source, a.Track, a.Link, a.Meta)
	known(rule(skimTable, block, 0, tableOpen|tableLast), a.Table)
	known(rule(skimBody, 0, tableLast, bodyLast), a.Tbody, a.Thead, a.Tfoot)
	known(rule(skimRow, 0, bodyLast, rowLast), a.Tr)
	cell := rule(skimCell, 0, rowLast, 0)
	cell.keeps = paragraphOpen | buttonOpen
	known(cell, a.Td, a.Th)
	for i, x := range [...]a.Atom{a.A, a.B, a.Big, a.Code, a.Em, a.I, a.S, a.Small, a.Strike, a.Strong, a.Tt, a.U} {
		open := formattingOpen << i
		known(rule(skimFormatting, open|outside, 0, open), x)
	}
	known(rule(skimDrawing, outside, 0, drawingOpen), a.Svg)
	known(rule(skimOther, 0, unknownOpen, 0), a.Html, a.Head, a.Body, a.Base, a.Bgsound, a.Noframes, a.Template, a.Title, a.Frameset, a.Frame, a.Fieldset,
		a.Pre, a.Listing, a.Form, a.Nobr, a.Font, a.Ruby, a.Applet, a.Marquee, a.Object, a.Area, a.Embed, a.Keygen, a.Input, a.Param, a.Hr, a.Image,
		a.Textarea, a.Xmp, a.Iframe, a.Noembed, a.Noscript, a.Select, a.Option, a.Optgroup, a.Rb, a.Rtc, a.Rp, a.Rt, a.Math, a.Caption, a.Col,
		a.Colgroup, a.Script, a.Style)
	for _, name := range [...]string{"path", "g", "circle", "rect", "use", "line", "defs", "polygon", "ellipse", "symbol", "mask", "stop", "tspan"} {
		add(name, rule(skimShape, tableOpen, 0, 0))
	}
	inline := rule(skimOther, outside, 0, 0)
	return table, &inline
}

// rule finds what skimming does with an element.
func (w word) rule() *skimRule {
	for i := w.slot(); ; i = (i + 1) % len(skimmed) {
		switch r := &skimmed[i]; r.name {
		case w:
			return r
		case 0:
			return skimInline
		}
	}
}

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
	top := t.top()
	t.nesting = word(top.name).rule().sets & last
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
		t.nesting |= word(t.formatting[i].name).rule().sets & allFormatting
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
	for i := range t.noted {
		e := &t.noted[i]
		n := t.blankNode()
		n.atom, n.name, n.parent, n.first, n.dark = e.rule.atom, uint64(e.name), top, e.before&hasChildren == 0, top.dark
		n.own = t.program.bare(n.name)
		n.here = t.program.lead(n.own, top, n.first)
		for i := range n.here {
			n.above[i] = top.above[i] | n.here[i]
		}
		if top.children = true; top != &t.root {
			top.holders++
		}
		t.push(n)
		switch top = n; e.rule.kind {
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
	t.noted = t.noted[:0]
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
	name, behind, start := tagWord(p, i+1)
	plain := p[behind] == '>'
	if !start {
		return t.skimEnd(at, name, plain)
	}
	rule := name.rule()
	if name == 0 || t.nesting&rule.mask != rule.want || !t.spares(name) || len(t.open)+len(t.noted) >= maxDepth {
		return false
	}
	drawing := t.nesting&drawingOpen != 0
	switch {
	case rule.kind == skimFormatting:
		if !plain && rule.atom != a.A && !endsAtOnce(p, after, name) { // several with the same attributes may be open
			return false
		}
	case rule.kind == skimDrawing:
		t.drawingAt = at
	case rule.kind == skimShape && drawing && p[after-2] == '/':
		t.done = at + 1
		return p[after-3] == '"' || p[after-3] == '\'' || p[after-3] == ' '
	}
	t.done = at + 1
	if rule.kind == skimVoid {
		t.nesting |= hasChildren
		return true
	}
	t.noted = append(t.noted, noted{name, rule, t.nesting, plain})
	t.nesting = t.nesting&rule.keeps | rule.sets
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
		n := len(t.noted) - 1
		t.nesting, t.noted = t.noted[n].before, t.noted[:n]
	}
	t.done = t.drawingAt
	return t.drawingAt, true
}

// skimEnd takes the end tag at the offset at. It gives false, and has changed nothing, where the tag has to be read.
func (t *tree) skimEnd(at int64, name word, plain bool) bool {
	if name == 0 || !plain {
		return false
	}
	if n := len(t.noted) - 1; n >= 0 {
		e := &t.noted[n]
		if e.name != name {
			return false
		}
		t.nesting, t.noted, t.done = e.before|hasChildren, t.noted[:n], at+1
		return true
	}
	n, rule := t.top(), name.rule()
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
