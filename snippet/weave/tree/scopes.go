package tree

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
func (t *Tree) inScope(s scope, elements ...a.Atom) int {
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
func (t *Tree) popUntil(s scope, elements ...a.Atom) bool {
	i := t.inScope(s, elements...)
	if i >= 0 {
		t.popTo(i)
	}
	return i >= 0
}

// clearTo closes the elements above the last open one of these, which stays open.
func (t *Tree) clearTo(elements ...a.Atom) {
	for i := len(t.open) - 1; i >= 0; i-- {
		t.step()
		if x := t.open[i].atom; x == a.Html || x == a.Template || slices.Contains(elements, x) {
			t.popTo(i + 1)
			return
		}
	}
}

// implyEnds closes elements that need no end tag, except those of one kind (HTML standard, 13.2.6.3).
func (t *Tree) implyEnds(except a.Atom) {
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
