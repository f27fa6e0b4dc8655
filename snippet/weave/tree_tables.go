package weave

import (
	"slices"

	a "golang.org/x/net/html/atom"
)

// scope is a kind of scope of the HTML standard (13.2.4.2). It says which open elements hide those around them.
type scope uint8

const (
	defaultScope scope = iota
	listItemScope
	buttonScope
	tableScope
)

// inScope returns the index of the last open element of these, or -1 if there is none or another element hides it.
func (t *tree) inScope(s scope, elements ...a.Atom) int {
	for i := len(t.open) - 1; i >= 0; i-- {
		t.step()
		n := t.open[i]
		if n.space == htmlSpace && slices.Contains(elements, n.atom) {
			return i
		}
		if n.hides(s) {
			return -1
		}
	}
	return -1
}

// hides says whether the element hides the elements around it.
func (n *node) hides(s scope) bool {
	switch n.space {
	case mathSpace:
		return s != tableScope && (n.atom == a.AnnotationXml || isMathText(n.atom))
	case svgSpace:
		return s != tableScope && (n.atom == a.Desc || n.atom == a.ForeignObject || n.atom == a.Title)
	}
	switch n.atom {
	case a.Html, a.Table, a.Template:
		return true
	case a.Applet, a.Caption, a.Td, a.Th, a.Marquee, a.Object, a.Select:
		return s != tableScope
	case a.Ol, a.Ul:
		return s == listItemScope
	case a.Button:
		return s == buttonScope
	}
	return false
}

// popUntil closes the last open element of these and all in it. It returns false if inScope finds none.
func (t *tree) popUntil(s scope, elements ...a.Atom) bool {
	i := t.inScope(s, elements...)
	if i >= 0 {
		t.popTo(i)
	}
	return i >= 0
}

// clearTo closes the elements above the last open one of these, which stays open.
func (t *tree) clearTo(elements ...a.Atom) {
	for i := len(t.open) - 1; i >= 0; i-- {
		t.step()
		if x := t.open[i].atom; x == a.Html || x == a.Template || slices.Contains(elements, x) {
			t.popTo(i + 1)
			return
		}
	}
}

// implyEnds closes elements that need no end tag, except those of one kind (HTML standard, 13.2.6.3).
func (t *tree) implyEnds(except a.Atom) {
	for len(t.open) > 0 {
		t.step()
		x := t.top().atom
		switch x {
		case a.Dd, a.Dt, a.Li, a.Optgroup, a.Option, a.P, a.Rb, a.Rp, a.Rt, a.Rtc:
		default:
			return
		}
		if x == except {
			return
		}
		t.pop()
	}
}

// resetMode sets the mode by the open elements (HTML standard, 13.2.4.1).
func (t *tree) resetMode() {
	for i := len(t.open) - 1; i >= 0; i-- {
		t.step()
		switch t.open[i].atom {
		case a.Td, a.Th:
			t.mode = inCell
		case a.Tr:
			t.mode = inRow
		case a.Tbody, a.Thead, a.Tfoot:
			t.mode = inTableBody
		case a.Caption:
			t.mode = inCaption
		case a.Colgroup:
			t.mode = inColumnGroup
		case a.Table:
			t.mode = inTable
		case a.Head:
			t.mode = inHead
		case a.Body:
			t.mode = inBody
		case a.Html:
			if t.mode = afterHead; t.head == nil {
				t.mode = beforeHead
			}
		default:
			continue
		}
		return
	}
}

func (t *tree) takeInTable() bool {
	k := &t.tag
	if k.end {
		switch k.atom {
		case a.Table:
			if t.popUntil(tableScope, a.Table) {
				t.resetMode()
			}
			return true
		case a.Body, a.Caption, a.Col, a.Colgroup, a.Html, a.Tbody, a.Td, a.Tfoot, a.Th, a.Thead, a.Tr, a.Template:
			return true
		}
		return t.takeFostered()
	}
	switch k.atom {
	case a.Caption:
		t.clearTo(a.Table)
		t.list(nil)
		t.addToken()
		t.mode = inCaption
		return true
	case a.Colgroup:
		t.clearTo(a.Table)
		t.addToken()
		t.mode = inColumnGroup
		return true
	case a.Col:
		t.clearTo(a.Table)
		t.addImplied(a.Colgroup)
		t.mode = inColumnGroup
		return false
	case a.Tbody, a.Tfoot, a.Thead:
		t.clearTo(a.Table)
		t.addToken()
		t.mode = inTableBody
		return true
	case a.Td, a.Th, a.Tr:
		t.clearTo(a.Table)
		t.addImplied(a.Tbody)
		t.mode = inTableBody
		return false
	case a.Table:
		if !t.popUntil(tableScope, a.Table) {
			return true
		}
		t.resetMode()
		return false
	case a.Style, a.Script, a.Template:
		return t.takeInHead()
	case a.Input:
		if k.traits&hidden != 0 {
			t.addVoid()
			return true
		}
	case a.Form:
		if t.form != nil {
			return true
		}
		t.setForm(t.addToken())
		t.pop()
		// golang.org/x/net/html takes the form in the mode "in body" too, which ignores it.
	}
	return t.takeFostered()
}

// takeFostered takes a tag that a table cannot hold.
func (t *tree) takeFostered() bool {
	t.fostering = true
	done := t.takeIn(inBody)
	t.fostering = false
	return done
}

func (t *tree) takeInCaption() bool {
	k := &t.tag
	switch k.atom {
	case a.Caption, a.Col, a.Colgroup, a.Tbody, a.Td, a.Tfoot, a.Thead, a.Tr, a.Table, a.Th, a.Body, a.Html:
		ends := k.end && (k.atom == a.Caption || k.atom == a.Table)
		switch {
		case !k.end && (k.atom == a.Table || k.atom == a.Th || k.atom == a.Body || k.atom == a.Html):
			return t.takeIn(inBody)
		case k.end && !ends, !t.popUntil(tableScope, a.Caption):
			return true
		}
		t.clearFormatting()
		t.mode = inTable
		return k.end && k.atom == a.Caption
	}
	return t.takeIn(inBody)
}

func (t *tree) takeInColumnGroup() bool {
	k := &t.tag
	switch {
	case !k.end && k.atom == a.Html:
		return t.takeIn(inBody)
	case !k.end && k.atom == a.Col:
		t.addVoid()
		return true
	case k.atom == a.Template:
		return t.takeInHead()
	case k.end && k.atom == a.Col:
		return true
	}
	if t.top().atom != a.Colgroup {
		return true
	}
	t.pop()
	t.mode = inTable
	return k.end && k.atom == a.Colgroup
}

func (t *tree) takeInTableBody() bool {
	k := &t.tag
	switch k.atom {
	case a.Tr:
		if k.end {
			return true
		}
		t.clearTo(a.Tbody, a.Tfoot, a.Thead)
		t.addToken()
		t.mode = inRow
		return true
	case a.Td, a.Th:
		if k.end {
			return true
		}
		t.clearTo(a.Tbody, a.Tfoot, a.Thead)
		t.addImplied(a.Tr)
		t.mode = inRow
		return false
	case a.Tbody, a.Tfoot, a.Thead:
		if k.end {
			if t.inScope(tableScope, k.atom) >= 0 {
				t.clearTo(a.Tbody, a.Tfoot, a.Thead)
				t.pop()
				t.mode = inTable
			}
			return true
		}
		return t.leaveTableBody()
	case a.Caption, a.Col, a.Colgroup:
		return k.end || t.leaveTableBody()
	case a.Table:
		if k.end {
			return t.leaveTableBody()
		}
	case a.Body, a.Html:
		if k.end {
			return true
		}
	}
	return t.takeInTable()
}

// leaveTableBody closes the table body. It returns true, so that the token is ignored, if no table body is open.
func (t *tree) leaveTableBody() bool {
	if !t.popUntil(tableScope, a.Tbody, a.Thead, a.Tfoot) {
		return true
	}
	t.mode = inTable
	return false
}

func (t *tree) takeInRow() bool {
	k := &t.tag
	switch k.atom {
	case a.Td, a.Th:
		if k.end {
			return true
		}
		t.clearTo(a.Tr)
		t.addToken()
		t.list(nil)
		t.mode = inCell
		return true
	case a.Caption, a.Col, a.Colgroup, a.Body, a.Html:
		if k.atom == a.Body || k.atom == a.Html {
			if !k.end {
				return t.takeInTable()
			}
			return true
		}
		return k.end || !t.leaveRow()
	case a.Tr:
		return !t.leaveRow() || k.end
	case a.Tbody, a.Tfoot, a.Thead:
		if k.end && t.inScope(tableScope, k.atom) < 0 {
			return true
		}
		return !t.leaveRow()
	case a.Table:
		if k.end {
			return !t.leaveRow()
		}
	}
	return t.takeInTable()
}

// leaveRow closes the row. It returns false if no row is open.
func (t *tree) leaveRow() bool {
	if t.inScope(tableScope, a.Tr) < 0 {
		return false
	}
	t.clearTo(a.Tr)
	t.pop()
	t.mode = inTableBody
	return true
}

func (t *tree) takeInCell() bool {
	k := &t.tag
	switch k.atom {
	case a.Caption, a.Col, a.Colgroup, a.Tbody, a.Td, a.Tfoot, a.Th, a.Thead, a.Tr:
		if !k.end {
			return !t.leaveCell(a.Td, a.Th)
		}
		switch k.atom {
		case a.Td, a.Th:
			t.leaveCell(k.atom)
			return true
		case a.Caption, a.Col, a.Colgroup:
			return true
		}
		return t.endAroundCell()
	case a.Table:
		if k.end {
			return t.endAroundCell()
		}
	case a.Body, a.Html:
		if k.end {
			return true
		}
	}
	return t.takeIn(inBody)
}

func (t *tree) leaveCell(elements ...a.Atom) bool {
	if !t.popUntil(tableScope, elements...) {
		return false
	}
	t.clearFormatting()
	t.mode = inRow
	return true
}

// endAroundCell takes the end tag of an element around the cell. It closes the cell, and returns true if the tag is to
// be ignored.
func (t *tree) endAroundCell() bool {
	if t.inScope(tableScope, t.tag.atom) < 0 {
		return true
	}
	t.leaveCell(a.Td, a.Th)
	t.mode = inRow
	return false
}
