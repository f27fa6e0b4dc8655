package tree

import (
	"slices"

	a "golang.org/x/net/html/atom"

	"github.com/seed-3405227d/frontdesk/snippet/weave/nest"
	"github.com/seed-3405227d/frontdesk/snippet/weave/selector"
)

// insertionMode is an insertion mode of the HTML standard (13.2.4.1).
type insertionMode uint8

const (
	initial insertionMode = iota
	beforeHTML
	beforeHead
	inHead
	afterHead
	inBody
	inTextOnly
	inTable
	inCaption
	inColumnGroup
	inTableBody
	inRow
	inCell
	afterBody
	afterAfterBody
)

// take takes the token.
func (t *Tree) take() {
	t.Told = selector.Parts{}
	switch {
	case t.lost:
		return
	case len(t.inert) > 0:
		t.inTemplate()
		return
	}
	for range 16 { // a mode may leave the token to another mode
		t.step()
		if t.lost {
			break
		}
		if t.takeOnce() {
			return
		}
	}
	t.lose()
}

// takeOnce takes the token in the current mode. It returns false if the token has to be taken again, in the mode that
// is then current.
func (t *Tree) takeOnce() bool {
	if t.inForeign() {
		return t.takeForeign()
	}
	return t.takeIn(t.mode)
}

func (t *Tree) takeIn(mode insertionMode) bool {
	k := &t.tag
	switch mode {
	case initial:
		t.quirks = inQuirks
		t.mode = beforeHTML
		return false
	case beforeHTML:
		if !k.end && k.atom == a.Html {
			t.addToken()
			t.mode = beforeHead
			return true
		}
		if k.end && !endsHead(k.atom) {
			return true
		}
		t.addImplied(a.Html)
		t.mode = beforeHead
		return false
	case beforeHead:
		switch {
		case !k.end && k.atom == a.Head:
			t.beginHead(t.addToken())
			return true
		case !k.end && k.atom == a.Html:
			return t.takeIn(inBody)
		case k.end && !endsHead(k.atom):
			return true
		}
		t.beginHead(t.addImplied(a.Head))
		return false
	case inHead:
		return t.takeInHead()
	case afterHead:
		return t.takeAfterHead()
	case inTextOnly:
		if k.end {
			t.pop()
		}
		t.mode = t.original
		return k.end
	case inTable:
		return t.takeInTable()
	case inCaption:
		return t.takeInCaption()
	case inColumnGroup:
		return t.takeInColumnGroup()
	case inTableBody:
		return t.takeInTableBody()
	case inRow:
		return t.takeInRow()
	case inCell:
		return t.takeInCell()
	case afterBody, afterAfterBody:
		if k.atom == a.Html && !k.end {
			return t.takeIn(inBody)
		}
		if k.atom == a.Html && mode == afterBody {
			t.mode = afterAfterBody
			return true
		}
		t.mode = inBody
		return false
	}
	if k.end {
		return t.endInBody()
	}
	return t.startInBody()
}

// endsHead says whether an end tag has an effect before the body.
func endsHead(x a.Atom) bool { return x == a.Head || x == a.Body || x == a.Html || x == a.Br }

func (t *Tree) beginHead(n *node) {
	n.holders++
	t.head = n
	t.mode = inHead
}

// inMetadata says whether an element belongs into the head even if it stands behind it.
func inMetadata(x a.Atom) bool {
	switch x {
	case a.Base, a.Basefont, a.Bgsound, a.Link, a.Meta, a.Noframes, a.Script, a.Style, a.Template, a.Title:
		return true
	}
	return false
}

func (t *Tree) takeInHead() bool {
	k := &t.tag
	if k.end {
		switch {
		case k.atom == a.Head:
		case endsHead(k.atom):
			t.pop()
			t.mode = afterHead
			return false
		default:
			return true
		}
		t.pop()
		t.mode = afterHead
		return true
	}
	switch k.atom {
	case a.Html:
		return t.takeIn(inBody)
	case a.Base, a.Basefont, a.Bgsound, a.Link, a.Meta:
		t.addVoid()
		return true
	case a.Noscript, a.Script, a.Title, a.Noframes, a.Style:
		t.addRawText()
		return true
	case a.Head:
		return true
	case a.Template:
		t.beginTemplate()
		return true
	}
	t.pop()
	t.mode = afterHead
	return false
}

// addRawText opens an element whose content is text only.
func (t *Tree) addRawText() {
	t.addToken()
	t.original, t.mode = t.mode, inTextOnly
}

func (t *Tree) takeAfterHead() bool {
	k := &t.tag
	switch {
	case k.end:
		if k.atom != a.Body && k.atom != a.Html && k.atom != a.Br {
			return true
		}
	case k.atom == a.Html:
		return t.takeIn(inBody)
	case k.atom == a.Body:
		t.addToken()
		t.framesetOK = false
		t.mode = inBody
		return true
	case k.atom == a.Frameset:
		t.lose()
		return true
	case k.atom == a.Head:
		return true
	case inMetadata(k.atom):
		t.push(t.head)
		t.takeInHead()
		t.remove(t.head)
		return true
	}
	t.addImplied(a.Body)
	t.framesetOK = true
	t.mode = inBody
	return false
}

// beginTemplate opens a template. The tree does not follow the elements in a template, and looks for its end only.
func (t *Tree) beginTemplate() {
	for _, n := range t.open {
		if n.space != htmlSpace {
			t.lose()
			return
		}
	}
	t.addToken()
	t.framesetOK = false
	t.inert = append(t.inert[:0], a.Template)
}

// inTemplate takes a tag inside a template. The tree is lost where the elements that decide how the template ends are not
// well nested, or mean something else. A table ends with its template, and one that is not open cannot end.
func (t *Tree) inTemplate() {
	x, depth := t.tag.atom, len(t.inert)
	for t.tag.end && x == a.Template && t.inert[depth-1] == a.Table {
		depth--
	}
	t.inert = t.inert[:depth]
	last := t.inert[depth-1]
	switch x {
	case a.Caption, a.Col, a.Colgroup, a.Table, a.Tbody, a.Td, a.Template, a.Tfoot, a.Th, a.Thead, a.Tr:
		if slices.Contains(apart, last) {
			t.lose()
			return
		}
		switch x {
		case a.Col, a.Colgroup, a.Tbody, a.Tfoot, a.Thead, a.Tr:
			return
		}
	default:
		if !slices.Contains(apart, x) {
			return
		}
	}
	switch {
	case !t.tag.end && depth < nest.MaxDepth:
		t.inert = append(t.inert, x)
		return
	case t.tag.end && x == a.Table && last == a.Template: // none is open
		return
	case !t.tag.end, x != last:
		t.lose()
		return
	}
	if t.inert = t.inert[:depth-1]; depth > 1 {
		return
	}
	for i := len(t.open) - 1; i >= 0; i-- {
		if t.open[i].atom == a.Template {
			t.popTo(i)
			break
		}
	}
}

// apart are the elements in which the parts of a table, and templates, mean something else: a drawing may have others of
// their names, and a table closes an object in it but keeps its marker.
var apart = []a.Atom{a.Applet, a.Marquee, a.Math, a.Object, a.Svg}
