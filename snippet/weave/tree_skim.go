package weave

import (
	a "golang.org/x/net/html/atom"
)

// skimRule tells how skimming follows the tags of an element.
type skimRule uint8

const (
	skimInline skimRule = iota // has no rules of its own
	skimNot                    // is read
	skimBlock                  // ends a paragraph
	skimParagraph
	skimButton
	skimShape // inline; in a drawing, it is one of its elements
	skimHeading
	skimItem // of a list
	skimVoid
	skimFormatting
	skimTable
	skimBody // of a table
	skimRow
	skimCell
)

// skimmed are the elements with rules of their own that skimming knows; all others of these lengths are inline.
var skimmed = gatherSkimmed()

type skimEntry struct {
	name word
	atom a.Atom
	rule skimRule
}

func gatherSkimmed() *skimTableOf {
	table := new(skimTableOf)
	for rule, names := range map[skimRule][]a.Atom{
		skimBlock: {a.Address, a.Article, a.Aside, a.Center, a.Details, a.Dialog, a.Dir, a.Div, a.Dl, a.Figure, a.Footer, a.Header, a.Hgroup,
			a.Main, a.Menu, a.Nav, a.Ol, a.Search, a.Section, a.Summary, a.Ul},
		skimParagraph:  {a.P},
		skimButton:     {a.Button},
		skimHeading:    {a.H1, a.H2, a.H3, a.H4, a.H5, a.H6},
		skimItem:       {a.Li, a.Dd, a.Dt},
		skimVoid:       {a.Br, a.Img, a.Wbr, a.Source, a.Track, a.Link, a.Meta},
		skimFormatting: {a.A, a.B, a.Big, a.Code, a.Em, a.I, a.S, a.Small, a.Strike, a.Strong, a.Tt, a.U},
		skimTable:      {a.Table},
		skimBody:       {a.Tbody, a.Thead, a.Tfoot},
		skimRow:        {a.Tr},
		skimCell:       {a.Td, a.Th},
		skimNot: {a.Html, a.Head, a.Body, a.Base, a.Bgsound, a.Noframes, a.Template, a.Title, a.Frameset, a.Frame, a.Fieldset, a.Pre, a.Listing,
			a.Form, a.Nobr, a.Font, a.Ruby, a.Applet, a.Marquee, a.Object, a.Area, a.Embed, a.Keygen, a.Input, a.Param, a.Hr, a.Image, a.Textarea, a.Xmp, a.Iframe,
			a.Noembed, a.Noscript, a.Select, a.Option, a.Optgroup, a.Rb, a.Rtc, a.Rp, a.Rt, a.Math, a.Svg, a.Caption, a.Col, a.Colgroup,
			a.Script, a.Style},
	} {
		for _, x := range names {
			table.add(skimEntry{wordOf(x.String()), x, rule})
		}
	}
	for _, name := range [...]string{"path", "g", "circle", "rect", "use", "line", "defs", "polygon", "ellipse", "symbol", "mask", "stop", "tspan"} {
		table.add(skimEntry{wordOf(name), 0, skimShape})
	}
	return table
}

type skimTableOf [512]skimEntry

func (t *skimTableOf) add(e skimEntry) {
	i := e.name.slot()
	for t[i].name != 0 {
		i = (i + 1) % len(t)
	}
	t[i] = e
}

// drawn is what is open in an SVG that is skimmed.
type drawn struct {
	open  [8]word
	depth int
}

// follow takes a tag that ends before p[after], and says whether it is one that the drawing is made of.
func (d *drawn) follow(p []byte, after int, name word, start bool) bool {
	if rule, _ := name.rule(); rule != skimShape {
		return false
	}
	if !start {
		if d.depth == 0 || d.open[d.depth-1] != name || p[after-1] != '>' {
			return false
		}
		d.depth--
		return true
	}
	if p[after-2] == '/' {
		before := p[after-3]
		return before == '"' || before == '\'' || before == ' '
	}
	if d.depth == len(d.open) {
		return false
	}
	d.open[d.depth] = name
	d.depth++
	return true
}

// rule finds what skimming does with an element.
func (w word) rule() (skimRule, a.Atom) {
	for i := w.slot(); ; i = (i + 1) % len(skimmed) {
		switch e := &skimmed[i]; e.name {
		case w:
			return e.rule, e.atom
		case 0:
			return skimInline, 0 // no rule asks for it
		}
	}
}

// skims says whether text means nothing to the tree here, so that it may be passed over.
func (t *tree) skims() bool {
	if t.lost {
		return true
	}
	if n := len(t.formatting); n > 0 && t.formatting[n-1] != nil && !t.formatting[n-1].isOpen {
		return false
	}
	return t.inert == 0 && t.mode >= inBody && t.mode <= inCell && t.mode != inTextOnly && t.mode != inColumnGroup && !t.framesetOK &&
		len(t.blank.open) == 0 && t.top().space == htmlSpace
}

// skimStart takes the start tag at the offset at, whose attributes meet no condition and of which plain says that it has none. The
// element is empty if its end tag follows. It gives false, and has changed nothing, where the tag has to be read.
func (t *tree) skimStart(at int64, name word, plain, empty bool) bool {
	if name == 0 || at < t.done {
		return at < t.done
	}
	rule, x := name.rule()
	top := t.top()
	tables := t.mode >= inTable && t.mode <= inRow && t.mode != inCaption
	switch rule {
	case skimNot:
		return false
	case skimBlock, skimParagraph, skimTable:
		if t.paragraphs > 0 || tables {
			return false
		}
	case skimButton:
		if t.buttons > 0 || tables {
			return false
		}
	case skimHeading:
		if t.paragraphs > 0 || tables || isHeading(top.atom) {
			return false
		}
	case skimItem:
		if t.paragraphs > 0 || tables || x == a.Li && top.atom != a.Ul && top.atom != a.Ol || x != a.Li && top.atom != a.Dl {
			return false
		}
	case skimFormatting:
		if tables || !plain && !empty && x != a.A { // of which several with the same attributes may be open
			return false
		}
		for i := len(t.formatting) - 1; i >= 0 && t.formatting[i] != nil; i-- {
			if t.formatting[i].atom == x {
				return false
			}
		}
	case skimBody:
		if t.mode != inTable || top.atom != a.Table {
			return false
		}
	case skimRow:
		if t.mode != inTableBody || !isTableBody(top.atom) {
			return false
		}
	case skimCell:
		if t.mode != inRow || top.atom != a.Tr {
			return false
		}
	default:
		if tables {
			return false
		}
	}
	own := t.program.bare(uint64(name))
	here := t.program.lead(own, top, !top.children)
	if t.program.tells(&here) && !top.dark {
		return false
	}
	t.done = at + 1
	first := !top.children
	if top.children = true; rule == skimVoid {
		return true
	}
	n := t.blankNode()
	n.atom, n.name, n.own, n.parent, n.first, n.dark, n.here = x, uint64(name), own, top, first, top.dark, here
	for i := range here {
		n.above[i] = top.above[i] | here[i]
	}
	if top != &t.root {
		top.holders++
	}
	t.push(n)
	switch rule {
	case skimFormatting:
		if !plain {
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
	return true
}

func isTableBody(x a.Atom) bool { return x == a.Tbody || x == a.Thead || x == a.Tfoot }

// tells says whether an element to which these parts lead is named by a selector.
func (p *program) tells(here *parts) bool {
	for i := range here {
		if here[i]&p.ends[i] != 0 {
			return true
		}
	}
	return false
}

// skimAside takes an element at the offset at whose tags are passed over together, with its content.
func (t *tree) skimAside(at int64, name uint64) bool {
	if at < t.done {
		return true
	}
	top := t.top()
	here := t.program.lead(t.program.bare(name), top, !top.children)
	if t.program.tells(&here) && !top.dark || name == uint64(svgWord) && t.mode >= inTable && t.mode <= inRow && t.mode != inCaption {
		return false
	}
	t.done = at + 1
	top.children = true
	return true
}

// skimEnd takes the end tag at the offset at. It gives false, and has changed nothing, where the tag has to be read.
func (t *tree) skimEnd(at int64, name word, plain bool) bool {
	n := t.top()
	if name == 0 || !plain || at < t.done {
		return at < t.done
	}
	if n.name != uint64(name) || n.space != htmlSpace {
		return false
	}
	rule, _ := name.rule()
	tables := t.mode >= inTable && t.mode <= inRow && t.mode != inCaption
	switch rule {
	case skimNot, skimVoid:
		return false
	case skimFormatting:
		last := len(t.formatting) - 1
		if tables || last < 0 || t.formatting[last] != n {
			return false
		}
		t.unlist(last)
	case skimTable:
		if t.mode != inTable {
			return false
		}
		t.pop()
		t.resetMode()
		t.done = at + 1
		return true
	case skimBody:
		if t.mode != inTableBody {
			return false
		}
		t.mode = inTable
	case skimRow:
		if t.mode != inRow {
			return false
		}
		t.mode = inTableBody
	case skimCell:
		last := len(t.formatting) - 1
		if t.mode != inCell || last < 0 || t.formatting[last] != nil {
			return false
		}
		t.unlist(last)
		t.mode = inRow
	default:
		if tables {
			return false
		}
	}
	t.pop()
	t.done = at + 1
	return true
}
