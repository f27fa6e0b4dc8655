package weave

import (
	"bytes"

	a "golang.org/x/net/html/atom"
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
func (t *tree) take() {
	t.told = parts{}
	if t.lost || t.inert > 0 && t.inTemplate() {
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
func (t *tree) takeOnce() bool {
	if t.inForeign() {
		return t.takeForeign()
	}
	return t.takeIn(t.mode)
}

func (t *tree) takeIn(mode insertionMode) bool {
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

func (t *tree) beginHead(n *node) {
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

func (t *tree) takeInHead() bool {
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
func (t *tree) addRawText() {
	t.addToken()
	t.original, t.mode = t.mode, inTextOnly
}

func (t *tree) takeAfterHead() bool {
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
func (t *tree) beginTemplate() {
	for _, n := range t.open {
		if n.space != htmlSpace {
			t.lose()
			return
		}
	}
	t.addToken()
	t.framesetOK = false
	t.inert, t.markers = 1, 0
}

// inTemplate takes a tag inside a template. It returns true, since it takes every tag.
func (t *tree) inTemplate() bool {
	k := &t.tag
	change := 1
	if k.end {
		change = -1
	}
	switch k.atom {
	case a.Template:
		if !k.closing {
			t.inert += change
		}
		if t.inert > 0 {
			return true
		}
		if t.markers != 0 {
			t.lose()
		}
		for i := len(t.open) - 1; i >= 0; i-- {
			if t.open[i].atom == a.Template {
				t.popTo(i)
				break
			}
		}
	case a.Td, a.Th, a.Caption, a.Object, a.Applet, a.Marquee:
		t.markers += change
	case a.Svg, a.Math:
		t.markers += change // in foreign elements, the end tag of a template means something else
	}
	return true
}

// text takes the text b at offset at, which is not raw text.
func (t *tree) text(at int64, b []byte) {
	if t.lost || t.surveyed || at < t.done || t.inert > 0 || t.mode == inTextOnly {
		return
	}
	if at == t.afterPre {
		n := 0
		if b[0] == '\r' {
			n++
		}
		if n < len(b) && b[n] == '\n' {
			n++
		}
		if t.afterPre = -1; n == 1 && b[0] == '\r' && len(b) == 1 {
			t.afterPre = at + 1
		}
		at, b = at+int64(n), b[n:]
	}
	for len(b) > 0 {
		n := bytes.IndexByte(b, 0) // the tree drops NUL
		if n < 0 {
			t.textPiece(at, b)
			return
		}
		if n > 0 {
			t.textPiece(at, b[:n])
		}
		if t.mode < inBody {
			t.lose()
			return
		}
		at, b = at+int64(n)+1, b[n+1:]
	}
}

func (t *tree) textPiece(at int64, b []byte) {
	_, shown := t.blank.Next(at, b)
	if !t.top().holdsStart() {
		if shown {
			t.framesetOK = false
		}
		return
	}
	switch {
	case shown:
		t.shownText()
	case t.mode == inBody || t.mode == inCaption || t.mode == inCell:
		t.reconstruct()
	case t.mode >= inTable && t.mode <= inRow && t.mode != inColumnGroup && !inTables(t.top().atom):
		t.reconstruct()
	}
}

// endText tells the tree that no more text comes before the next tag.
func (t *tree) endText() {
	if _, shown := t.blank.End(); shown && !t.lost && t.inert == 0 && t.mode != inTextOnly {
		t.shownText()
	}
}

// shownText takes text that is more than white space.
func (t *tree) shownText() {
	if !t.top().holdsStart() {
		t.framesetOK = false
		return
	}
	for range 8 {
		switch t.mode {
		case initial:
			t.quirks, t.mode = inQuirks, beforeHTML
		case beforeHTML:
			t.addImplied(a.Html)
			t.mode = beforeHead
		case beforeHead:
			t.beginHead(t.addImplied(a.Head))
		case inHead:
			t.pop()
			t.mode = afterHead
		case afterHead:
			t.addImplied(a.Body)
			t.mode = inBody
		case inColumnGroup:
			if t.top().atom != a.Colgroup {
				return
			}
			t.pop()
			t.mode = inTable
		case afterBody, afterAfterBody:
			t.mode = inBody
		case inTable, inTableBody, inRow:
			t.fostering = true
			t.reconstruct()
			t.fostering, t.framesetOK = false, false
			return
		default:
			t.reconstruct()
			t.framesetOK = false
			return
		}
	}
}
