package weave

import (
	"html"
	"regexp"
)

// target is an element whose content is known to be a number. While no writing of
// the number has been seen in it, its content is held back: what it shows may be the number in
// another way, without its code for example, or words in its place, such as "loading".
type target struct {
	open     bool
	found    bool
	place    *place
	unfilled bool  // holds no text of its own
	at       int64 // where the content begins
	children bool
	shows    bool // some text that is not space

	words  []byte // its text, with a NUL between lines
	pieces []piece
}

// piece is a piece of the text: words[from:to] stands at offset at.
type piece struct {
	at       int64
	from, to int
}

func (t *target) reset() target { return target{words: t.words[:0], pieces: t.pieces[:0]} }

// begin opens a target whose content begins at offset at. There is no target in a target.
func (t *target) begin(at int64, e *element, p *place) bool {
	if t.open {
		return false
	}
	*t = t.reset()
	t.open, t.place, t.at = true, p, at
	t.unfilled = e.traits&structure != 0
	return true
}

// see notes that a configured number has been found: its own, or another one, which is
// then what the element shows.
func (t *target) see() { t.found = t.found || t.open }

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

// line notes that a line ends.
func (t *target) line() {
	if t.open && len(t.words) < maxPlace {
		t.words = append(t.words, 0)
	}
}

// otherWriting is a row of digits that people would call.
var otherWriting = regexp.MustCompile(`[+(]{0,2}` + anyDigit + `(?:(?:[\s().\-/\x{a0}\x{2000}-\x{2015}\x{202f}]|&nbsp;|&#160;|&#8209;|&ndash;|&thinsp;){0,4}` + anyDigit + `){4,}`)

const anyDigit = `(?:[0-9]|&#(?:4[89]|5[0-7]);)`

// endTarget is called where the content of the target ends.
func (s *scanner) endTarget(at int64) {
	t := &s.scopes.target
	s.breakLine() // so that a number at the end has been found
	open, found := t.open, t.found
	t.open = false
	switch {
	case !open, found, s.hydrating, at-t.at > maxPlace:
	case t.shows:
		if found := otherWriting.FindIndex(t.words); found != nil {
			s.replaceOther(found[0], found[1])
		} else if !t.children && !t.unfilled {
			end := len(t.words)
			for isSpace(t.words[end-1]) || t.words[end-1] == 0 {
				end--
			}
			s.replaceOther(indexNonSpace(t.words), end)
		}
	case !t.unfilled && !t.children:
		s.changeWritten(t.at, t.at, s.shown[t.place.number].Text(), false)
		s.records.place(t.place, "", s.shown[t.place.number].Text())
	}
}

// replaceOther replaces words[from:to] of the target: the new number takes the place of
// what stands in its first piece, and the others lose theirs.
func (s *scanner) replaceOther(from, to int) {
	t := &s.scopes.target
	text := s.shown[t.place.number].Text()
	s.records.place(t.place, html.UnescapeString(s.charset.Decode(t.words[from:to])), text)
	for _, p := range t.pieces {
		first, last := max(from, p.from), min(to, p.to)
		if first >= last {
			continue
		}
		s.changeWritten(p.at+int64(first-p.from), p.at+int64(last-p.from), text, false)
		text = ""
	}
}
