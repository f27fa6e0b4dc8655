package tree

import (
	"fmt"

	"github.com/seed-3405227d/frontdesk/snippet/weave/nest"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// Steady says whether text cannot change the tree here.
func (t *Tree) Steady() bool {
	if t.lost {
		return true
	}
	if n := len(t.formatting); n > 0 && t.formatting[n-1] != nil && !t.formatting[n-1].isOpen {
		return false
	}
	if _, open := t.blank.Open(); open {
		return false
	}
	return len(t.inert) == 0 && t.mode >= inBody && t.mode <= inCell && t.mode != inTextOnly && t.mode != inColumnGroup && !t.framesetOK && t.top().space == htmlSpace
}

// maxSurveyed is how many formatting elements Survey looks at.
const maxSurveyed = 16

// Survey begins to note elements on top of those that are open.
func (t *Tree) Survey(s *nest.Stack) {
	top := t.top()
	n := nest.Of(token.Word(top.name)).Sets & nest.Last
	switch t.mode {
	case inTable:
		n = n&nest.TableLast | nest.TableOpen
	case inTableBody:
		n = n&nest.BodyLast | nest.TableOpen
	case inRow:
		n = n&nest.RowLast | nest.TableOpen
	default:
		n &^= nest.TableLast | nest.BodyLast | nest.RowLast
	}
	if t.paragraphs > 0 {
		n |= nest.ParagraphOpen
	}
	if t.buttons > 0 {
		n |= nest.ButtonOpen
	}
	if top.children {
		n |= nest.HasChildren
	}
	for i := len(t.formatting) - 1; i >= 0 && t.formatting[i] != nil; i-- {
		n |= nest.Of(token.Word(t.formatting[i].name)).Sets & nest.AllFormatting
		if len(t.formatting)-i == maxSurveyed {
			n |= nest.AllFormatting // so that all tags of formatting elements are read
			break
		}
	}
	tellers := uint64(0)
	if !top.dark {
		tellers = t.program.Tellers(top.above)
	}
	s.Begin(len(t.open), n, tellers)
}

// Settle opens the elements that have been noted since Survey.
func (t *Tree) Settle(s *nest.Stack) {
	if !s.Begun {
		return
	}
	children := func(n nest.Nesting) { t.top().children = t.top().children || n&nest.HasChildren != 0 }
	noted := s.End()
	for i := range noted {
		children(noted[i].Before)
		t.TakeBare(noted[i].Name(), false, noted[i].Plain)
	}
	children(s.Nesting)
}

// Chooses says whether a selector chooses an element of this name that would be opened here, if its attributes meet no
// condition.
func (t *Tree) Chooses(name token.Word) bool {
	own, top := t.program.Bare(uint64(name)), t.top()
	here := t.program.Lead(&own, &top.here, &top.above, !top.children)
	return t.program.Tells(&here)
}

// MayChoose says whether the last part of any selector fits an element of this name whose attributes meet no condition.
func (t *Tree) MayChoose(name token.Word) bool {
	own := t.program.Bare(uint64(name))
	return t.program.Tells(&own)
}

// Describe says in words what the tree knows of the open elements, so that two ways to read a page can be compared.
func (t *Tree) Describe() (open []string) {
	for _, n := range t.open {
		open = append(open, fmt.Sprintf("%x %v %v %v %x %x", n.name, n.space, n.first, n.children, n.here, n.above))
	}
	return append(open, fmt.Sprint(t.mode, t.lost, len(t.formatting), t.inert, t.paragraphs))
}
