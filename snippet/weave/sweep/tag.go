package sweep

import (
	"bytes"
	"math/bits"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// manyInValue returns the first digit of a value that has at least w.least digits and may matter, or 0. before holds
// the digits that the open value already has. spared says that the last value has enough digits but cannot matter.
func (w *Sweep) manyInValue(p []byte, at int, digits, opening uint64, before open) (first uint64, spared bool) {
	for had := before.digits; ; had = 0 {
		if first = w.many(digits, opening, had); first == 0 {
			return 0, spared
		}
		if mindsValue(p, w.valueAt(at, first, opening)) {
			return first, false
		}
		later := opening &^ (first - 1)
		if later == 0 {
			return 0, true
		}
		digits &^= later&-later - 1
	}
}

// valueAt returns the index, in the piece, of the quotation mark that opens the value around a byte.
func (w *Sweep) valueAt(at int, bit, opening uint64) int {
	if opened := opening & (bit - 1); opened != 0 {
		return w.at + at + 63 - bits.LeadingZeros64(opened)
	}
	return w.value
}

// lastName returns the last of the attribute names. Attributes without a value may stand before it.
func lastName(names []byte) []byte {
	i := len(names)
	for i > 0 && !token.EndsName(names[i-1]) {
		i--
	}
	return names[i:]
}

// nameBefore returns the name of the attribute whose value opens with the quotation mark at p[i]. Of a name longer than
// token.MaxName it may return the end only.
func nameBefore(p []byte, i int) []byte {
	name := lastName(p[max(0, i-1-token.MaxName-1) : i-1])
	return name[bytes.LastIndexByte(name, '"')+1:]
}

// mindsValue says whether digits may matter in the value that opens at p[i].
func mindsValue(p []byte, i int) bool {
	name := nameBefore(p, i)
	switch len(name) {
	case len("alt"), len("title"), len("content"), len("aria-label"):
		c := name[0] | 0x20
		return c == 'a' || c == 't' || c == 'c'
	case len("href"):
		return p[i+1] != '/' || p[i+2] == '/'
	}
	return false
}

// oddReference returns the first "&" in the value of an attribute on which a selector has a condition, or 0.
func (w *Sweep) oddReference(p []byte, at int, ampersands, opening uint64) uint64 {
	for ; ampersands != 0; ampersands &= ampersands - 1 {
		bit := ampersands & -ampersands
		name := nameBefore(p, w.valueAt(at, bit, opening))
		for _, key := range w.search.keys {
			if len(key) == len(name) && token.HasPrefixFold(name, key) {
				return bit
			}
		}
	}
	return 0
}

// oddMark returns the first of the marked bytes at which one of the rules' words may stand, or 0.
func (w *Sweep) oddMark(p []byte, at int, marked uint64) uint64 {
	for ; marked != 0; marked &= marked - 1 {
		i := w.at + at + bits.TrailingZeros64(marked)
		for k := range w.search.marks {
			if w.search.marks[k].matches(p[i:]) {
				return marked & -marked
			}
		}
	}
	return 0
}

var svg, link = token.WordOf("svg"), token.WordOf("link")

// oddName returns the first of the known names whose element has to be read, or 0. drawing holds the names at which an
// SVG begins or ends.
func (w *Sweep) oddName(p []byte, at int, known uint64) (odd, drawing uint64) {
	for ; known != 0; known &= known - 1 {
		bit, i := known&-known, w.at+at+bits.TrailingZeros64(known)
		name, after, _ := token.TagWord(p, i)
		switch start := p[i-1] == '<'; {
		case name == svg && !start && w.svg >= 0:
			w.svg = -1
			drawing |= bit
		case name == svg && start && w.svg < 0 && hasContent(p[after:]):
			w.svg = i - 1 - w.at
			drawing |= bit
		case name == 0 || name == link || name.Traits()&token.Special != 0:
			return bit, drawing
		}
	}
	return 0, drawing
}

// hasContent says whether a start tag surely does not end with "/>". attributes begins behind its name.
func hasContent(attributes []byte) bool {
	i := bytes.IndexByte(attributes[:min(len(attributes), 512)], '>')
	return i == 0 || i > 0 && attributes[i-1] != '/'
}

// follow makes the stack follow the tags that end within the bits of known. open is 1 if a tag goes on from the 64 bytes
// before. follow returns the ">" of the first tag that has to be read, or 0.
func (w *Sweep) follow(p []byte, at int, open, begins, ends, known uint64) (end uint64) {
	ends &= known
	if open != 0 {
		if ends == 0 {
			return 0
		}
		if end = ends & -ends; !w.nest.Tag(p, w.tag, w.at+at+bits.TrailingZeros64(end)+1, w.base+int64(w.tag)) {
			return end
		}
	}
	for begins &= known; begins != 0; begins &= begins - 1 {
		w.tag = w.at + at + bits.TrailingZeros64(begins)
		if end = ends &^ (begins&-begins - 1); end == 0 {
			return 0
		}
		if end &= -end; !w.nest.Tag(p, w.tag, w.at+at+bits.TrailingZeros64(end)+1, w.base+int64(w.tag)) {
			return end
		}
	}
	return 0
}
