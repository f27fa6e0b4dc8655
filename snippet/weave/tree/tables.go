package tree

import a "golang.org/x/net/html/atom"

// resetMode sets the mode by the open elements (HTML standard, 13.2.4.1).
func (t *Tree) resetMode() {
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

func (t *Tree) takeInTable() bool {
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
func (t *Tree) takeFostered() bool {
	t.fostering = true
	done := t.takeIn(inBody)
	t.fostering = false
	return done
}

func (t *Tree) takeInCaption() bool {
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

func (t *Tree) takeInColumnGroup() bool {
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

func (t *Tree) takeInTableBody() bool {
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
func (t *Tree) leaveTableBody() bool {
	if !t.popUntil(tableScope, a.Tbody, a.Thead, a.Tfoot) {
		return true
	}
	t.mode = inTable
	return false
}

func (t *Tree) takeInRow() bool {
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
func (t *Tree) leaveRow() bool {
	if t.inScope(tableScope, a.Tr) < 0 {
		return false
	}
	t.clearTo(a.Tr)
	t.pop()
	t.mode = inTableBody
	return true
}

func (t *Tree) takeInCell() bool {
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

func (t *Tree) leaveCell(elements ...a.Atom) bool {
	if !t.popUntil(tableScope, elements...) {
		return false
	}
	t.clearFormatting()
	t.mode = inRow
	return true
}

// endAroundCell takes the end tag of an element around the cell. It closes the cell, and returns true if the tag is to
// be ignored.
func (t *Tree) endAroundCell() bool {
	if t.inScope(tableScope, t.tag.atom) < 0 {
		return true
	}
	t.leaveCell(a.Td, a.Th)
	t.mode = inRow
	return false
}
