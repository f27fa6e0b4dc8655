package weave

import (
	"html"
	"regexp"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// target is an element whose content is known to be a number. The scanner holds its content back until a writing of the
// number is found in it. Otherwise the content may be the number in a form that the matcher does not know, for example
// without its code, or a word such as "loading".
type target struct {
	open     bool
	found    bool
	place    *place
	unfilled bool  // its content is elements, and no text of its own
	at       int64 // offset of the content
	children bool
	shows    bool // it shows text that is no white space

	words  []byte // its text, with a NUL for each end of a line
	pieces []piece
}

// piece is a part of the target's text: words[from:to] stands at offset at.
type piece struct {
	at       int64
	from, to int
}

func (t *target) reset() target { return target{words: t.words[:0], pieces: t.pieces[:0]} }

// begin opens a target whose content begins at offset at. It returns false inside of another target.
func (t *target) begin(at int64, e *element, p *place) bool {
	if t.open {
		return false
	}
	*t = t.reset()
	t.open, t.place, t.at = true, p, at
	t.unfilled = e.traits&token.Structure != 0
	return true
}

// see notes that a configured number has been found. If it is in the target, the target shows it, even if it is another
// one than its own. One that stands before may be certain only now.
func (t *target) see(m *phone.Match) { t.found = t.found || t.open && m.End > t.at }

func (t *target) text(at int64, b []byte) {
	if !t.open || t.found || len(t.words)+len(b) > maxPlace {
		return
	}
	t.shows = t.shows || indexNonSpace(b) >= 0
	from := len(t.words)
	t.words = append(t.words, b...)
	if n := len(t.pieces); n > 0 && t.pieces[n-1].to == from && t.pieces[n-1].end() == at {
		t.pieces[n-1].to = len(t.words)
		return
	}
	t.pieces = append(t.pieces, piece{at, from, len(t.words)})
}

func (p *piece) end() int64 { return p.at + int64(p.to-p.from) }

// line notes the end of a line.
func (t *target) line() {
	if t.open && len(t.words) < maxPlace {
		t.words = append(t.words, 0)
	}
}

// otherWriting matches a row of digits that people would dial.
var otherWriting = regexp.MustCompile(`[+(]{0,2}` + anyDigit + `(?:(?:[\s().\-/\x{a0}\x{2000}-\x{2015}\x{202f}]|&nbsp;|&#160;|&#8209;|&ndash;|&thinsp;){0,4}` + anyDigit + `){4,}`)

const anyDigit = `(?:[0-9]|&#(?:4[89]|5[0-7]);)`

// endTarget closes the target, whose content ends at offset at.
func (s *scanner) endTarget(at int64) {
	t := &s.scopes.target
	s.breakLine() // finds a number at the end of the content
	open, found := t.open, t.found
	t.open = false
	switch {
	case !open, found, s.hydrating, at-t.at > maxPlace:
	case t.shows:
		if found := otherWriting.FindIndex(t.words); found != nil {
			s.replaceOther(found[0], found[1])
		} else if !t.children && !t.unfilled {
			s.replaceWords()
		}
	case !t.unfilled && !t.children:
		s.edits.Write(t.at, t.at, s.shown[t.place.number].Text(), false)
		s.records.place(t.place, "", s.shown[t.place.number].Text())
	}
}

// replaceWords replaces the target's text, except the white space around it.
func (s *scanner) replaceWords() {
	words := s.scopes.target.words
	blank := func(c byte) bool { return token.IsSpace(c) || c == 0 } // c == 0 stands between lines
	from, to := 0, len(words)
	for from < to && blank(words[from]) {
		from++
	}
	for from < to && blank(words[to-1]) {
		to--
	}
	if from < to {
		s.replaceOther(from, to)
	}
}

// replaceOther replaces words[from:to] of the target. The new number replaces the text of the first piece, and the text
// of the other pieces is removed.
func (s *scanner) replaceOther(from, to int) {
	t := &s.scopes.target
	text := s.shown[t.place.number].Text()
	s.records.place(t.place, html.UnescapeString(s.charset.Decode(t.words[from:to])), text)
	for _, p := range t.pieces {
		first, last := max(from, p.from), min(to, p.to)
		if first >= last {
			continue
		}
		s.edits.Write(p.at+int64(first-p.from), p.at+int64(last-p.from), text, false)
		text = ""
	}
}

func indexNonSpace(b []byte) int {
	for i, c := range b {
		if !token.IsSpace(c) {
			return i
		}
	}
	return -1
}
