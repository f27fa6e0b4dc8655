// Package nest notes by their names alone the elements that a page opens and closes, on a stack of small entries. Most
// elements end again before anybody needs to know more of them. It owns what decides how the next tag is followed: for
// each element, a rule, and for all open elements, a few bits. The sweep asks it at each tag that it passes over.
package nest

import (
	"encoding/binary"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// MaxDepth is how many elements may be open.
const MaxDepth = 512

// Nesting is the part of the open elements' state that decides how the next tag is followed.
type Nesting uint32

const (
	ParagraphOpen Nesting = 1 << iota
	ButtonOpen
	TableOpen   // inside a table, but not inside one of its cells
	DrawingOpen // inside an SVG
	unknownOpen // no element sets it, so an element that wants it is never noted

	// What the last open element is, and whether it has child elements.
	TableLast
	BodyLast // tbody, thead or tfoot
	RowLast
	headingLast
	listLast
	definitionsLast
	HasChildren

	formattingOpen // the first of twelve bits, one for each formatting element

	// Last are all bits of the last open element.
	Last = TableLast | BodyLast | RowLast | headingLast | listLast | definitionsLast | HasChildren
	// AllFormatting are all bits of formatting elements.
	AllFormatting = ^(formattingOpen - 1)
)

// Noted is an element that has been opened.
type Noted struct {
	end uint64 // the end tag without "</", shifted so that its ">" is the highest byte
	// Before is the nesting around the element.
	Before Nesting
	shift  uint8 // how many bits the end tag lacks to eight bytes
	// Plain says that the start tag has no attributes.
	Plain bool
}

// Name returns the element's name.
func (n *Noted) Name() token.Word { return token.Word(n.end<<8>>8) >> n.shift }

// Follower knows more of the open elements than their names. A [Stack] asks it about the tags that it cannot take by
// itself.
type Follower interface {
	// Survey begins the stack by [Stack.Begin].
	Survey()
	// Unusual does what [Stack.Tag] does, for any tag.
	Unusual(p []byte, i, after int, at int64) bool
	// Steady says whether text cannot change what the follower knows.
	Steady() bool
}

// Stack holds the elements that have been noted on top of those that the follower knows.
type Stack struct {
	// Nesting is that of all open elements.
	Nesting Nesting
	// Done is the offset before which all tags have been taken.
	Done int64
	// Begun says that Nesting is known. Elements are noted only then.
	Begun bool

	follower  Follower
	noted     *[MaxDepth]Noted
	depth     int    // how many elements are noted
	room      int    // how many may be noted
	tellers   uint64 // see Begin
	drawingAt int64
}

// Reset empties the stack for another page, whose follower is f.
func (s *Stack) Reset(f Follower) { *s = Stack{follower: f, noted: s.noted} }

// Begin begins to note elements on top of open others, whose nesting is n. tellers are the bits of the names of
// elements that the follower has to know, whatever their attributes are; see [token.Word.Bit].
func (s *Stack) Begin(open int, n Nesting, tellers uint64) {
	if s.noted == nil {
		s.noted = new([MaxDepth]Noted)
	}
	s.Begun, s.room, s.Nesting, s.tellers = true, MaxDepth-open, n, tellers
}

// End ends noting. It returns the elements that are noted, from the outermost inwards, and forgets them. They are valid
// until the next element is noted.
func (s *Stack) End() []Noted {
	depth := s.depth
	if s.Begun, s.depth = false, 0; depth == 0 {
		return nil
	}
	return s.noted[:depth]
}

// Tells says whether the follower may have to know an element of this name, whatever its attributes are.
func (s *Stack) Tells(name token.Word) bool { return s.tellers&name.Bit() != 0 }

// Takes says whether an element can be noted here.
func (s *Stack) Takes(e *Element) bool { return s.Nesting&e.mask == e.want && s.depth < s.room }

// Note notes an element. Its tag is at offset at. Its name has size bits.
func (s *Stack) Note(e *Element, name token.Word, size int, plain bool, at int64) {
	n := &s.noted[s.depth]
	n.shift = uint8(56 - size)
	n.end, n.Before, n.Plain = (uint64(name)|'>'<<size)<<n.shift, s.Nesting, plain
	s.Nesting = s.Nesting&e.keeps | e.Sets
	s.depth++
	s.Done = at + 1
}

// NoteDrawing is Note for an SVG, whose content [Stack.LeaveDrawing] may drop again.
func (s *Stack) NoteDrawing(e *Element, name token.Word, size int, plain bool, at int64) {
	s.drawingAt = at
	s.Note(e, name, size, plain, at)
}

// InDrawing says whether an SVG is noted.
func (s *Stack) InDrawing() bool { return s.Nesting&DrawingOpen != 0 }

// NoteChild notes an element without content. Its tag is at offset at.
func (s *Stack) NoteChild(at int64) {
	s.Nesting |= HasChildren
	s.Done = at + 1
}

// Tag follows a tag whose attributes mean nothing to the follower: p[i:after], at offset at of the page. It returns
// false if the tag, or the text behind it, has to be read. Tag handles frequent tags itself and leaves the others to the
// follower.
func (s *Stack) Tag(p []byte, i, after int, at int64) bool {
	if at < s.Done {
		return s.Begun || s.follower.Steady()
	}
	if !s.Begun {
		s.follower.Survey()
	}
	x := binary.LittleEndian.Uint64(p[i+1:])
	if byte(x) == '/' {
		if n := uint(s.depth - 1); n < MaxDepth {
			if e := &s.noted[n]; binary.LittleEndian.Uint64(p[i+2:])<<e.shift == e.end {
				s.Nesting, s.depth, s.Done = e.Before|HasChildren, int(n), at+1
				return true
			}
		}
	} else {
		name, size, next := token.WordAt(x)
		if e := Of(name); e.noted && token.EndsName(next) && s.Takes(e) && !s.Tells(name) {
			s.Note(e, name, size, next == '>', at)
			return true
		}
	}
	return s.follower.Unusual(p, i, after, at)
}

// Close takes the end tag at offset at, if it is that of the last element that is noted. It returns false otherwise.
func (s *Stack) Close(at int64, name token.Word) bool {
	if s.depth == 0 || s.noted[s.depth-1].Name() != name {
		return false
	}
	s.depth--
	s.Nesting, s.Done = s.noted[s.depth].Before|HasChildren, at+1
	return true
}

// LeaveDrawing drops the noted elements of the open SVG, so that its tags are followed again. It returns the offset of
// the SVG's start tag, and false if none is open.
func (s *Stack) LeaveDrawing() (at int64, left bool) {
	if s.Nesting&DrawingOpen == 0 {
		return 0, false
	}
	for s.Nesting&DrawingOpen != 0 {
		s.depth--
		s.Nesting = s.noted[s.depth].Before
	}
	s.Done = s.drawingAt
	return s.drawingAt, true
}
