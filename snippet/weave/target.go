package weave

import (
	"bytes"
	"html"
	"regexp"
)

// target is an element whose content is known to be a number. While no writing of
// the number has been seen in it, its content is held back: what it shows may be the number in
// another way, without its code for example.
type target struct {
	open     bool
	found    bool
	place    *place
	link     bool
	at       int64 // where the content begins
	children bool
	shows    bool // some text that is not space
	bytes    []byte
}

// begin opens a target whose content begins at offset at. There is no target in a target.
func (t *target) begin(at int64, e *element, p *place) bool {
	if t.open {
		return false
	}
	*t = target{open: true, place: p, at: at, link: e.kind == anchor, bytes: t.bytes[:0]}
	return true
}

// see notes that a number has been found.
func (t *target) see(number int) {
	if t.open && number == t.place.number {
		t.found = true
	}
}

func (t *target) text(b []byte) {
	if t.open && !t.shows {
		t.shows = indexNonSpace(b) >= 0
	}
}

// otherWriting is a row of digits that people would call.
var otherWriting = regexp.MustCompile(`[+(]{0,2}[0-9](?:(?:[\s().\-/\x{a0}\x{2000}-\x{2015}\x{202f}]|&nbsp;|&#160;|&#8209;|&ndash;|&thinsp;)*[0-9]){4,}`)

// endTarget is called where the content of the target ends.
func (s *scanner) endTarget(at int64) {
	t := &s.scopes.target
	s.breakLine() // so that a number at the end has been found
	open, found := t.open, t.found
	t.open = false
	if !open || found || at-t.at > maxPlace {
		return
	}
	if !t.shows {
		if !t.link && !t.children {
			s.change(t.at, t.at, []byte(html.EscapeString(t.place.text)))
			s.records.place(t.place, "", t.place.text)
		}
		return
	}
	t.bytes = s.window.append(t.bytes[:0], t.at, at)
	from, to, ok := findOtherWriting(t.bytes)
	if !ok {
		return
	}
	s.change(t.at+int64(from), t.at+int64(to), []byte(html.EscapeString(t.place.text)))
	s.records.place(t.place, html.UnescapeString(s.charset.Decode(t.bytes[from:to])), t.place.text)
}

// findOtherWriting finds the first writing of some number between the tags.
func findOtherWriting(b []byte) (from, to int, ok bool) {
	for at := 0; at < len(b); {
		end := len(b)
		if i := bytes.IndexByte(b[at:], '<'); i >= 0 {
			end = at + i
		}
		if found := otherWriting.FindIndex(b[at:end]); found != nil {
			return at + found[0], at + found[1], true
		}
		i := bytes.IndexByte(b[end:], '>')
		if i < 0 {
			break
		}
		at = end + i + 1
	}
	return 0, 0, false
}
