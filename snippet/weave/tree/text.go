package tree

import (
	"bytes"

	a "golang.org/x/net/html/atom"
)

// Text takes the text b at offset at, which is not raw text.
func (t *Tree) Text(at int64, b []byte) {
	if t.lost || len(t.inert) > 0 || t.mode == inTextOnly {
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
		n := bytes.IndexByte(b, 0) // the tree drops NUL, but not before the body, and in a column group NUL ends that
		if n < 0 {
			t.textPiece(at, b)
			return
		}
		if n > 0 {
			t.textPiece(at, b[:n])
		}
		if t.mode < inBody || t.mode == inColumnGroup {
			t.lose()
			return
		}
		at, b = at+int64(n)+1, b[n+1:]
	}
}

func (t *Tree) textPiece(at int64, b []byte) {
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
func (t *Tree) endText() {
	if _, shown := t.blank.End(); shown && !t.lost && len(t.inert) == 0 && t.mode != inTextOnly {
		t.shownText()
	}
}

// shownText takes text that is more than white space.
func (t *Tree) shownText() {
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
