package weave

import (
	"bytes"
	"math/bits"
)

// manyInValue is the first of enough digits in a value that is of account, some of which have come before. The
// last of the values is spared when it has enough and is of none.
func (w *sweep) manyInValue(p []byte, at int, digits, opening uint64, before open) (first uint64, spared bool) {
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

// valueAt is the quotation mark that opens the value in which a byte is.
func (w *sweep) valueAt(at int, bit, opening uint64) int {
	if opened := opening & (bit - 1); opened != 0 {
		return w.at + at + 63 - bits.LeadingZeros64(opened)
	}
	return w.value
}

// nameBefore is the name of the attribute at whose opening quotation mark p[i] is, or the end of it.
func nameBefore(p []byte, i int) []byte {
	name := lastName(p[max(0, i-1-maxName-1) : i-1])
	return name[bytes.LastIndexByte(name, '"')+1:]
}

// mindsValue says whether digits in the value at whose quotation mark p[i] is may be of account.
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

// oddReference is the first of the references in values on which selectors have conditions.
func (w *sweep) oddReference(p []byte, at int, ampersands, opening uint64) uint64 {
	for ; ampersands != 0; ampersands &= ampersands - 1 {
		bit := ampersands & -ampersands
		name := nameBefore(p, w.valueAt(at, bit, opening))
		for _, key := range w.tree.program.keys {
			if len(key) == len(name) && hasPrefixFold(name, key) {
				return bit
			}
		}
	}
	return 0
}

// oddMark is the first of the marked bytes that a word of account may have as its fingerprint.
func (w *sweep) oddMark(p []byte, at int, marked uint64) uint64 {
	for ; marked != 0; marked &= marked - 1 {
		i := w.at + at + bits.TrailingZeros64(marked)
		for k := range w.rules.marks {
			if w.rules.marks[k].matches(p[i:]) {
				return marked & -marked
			}
		}
	}
	return 0
}

// oddName is the first of the names that are known by their fingerprints whose element has to be read. Drawings
// begin and end at the names that are drawing.
func (w *sweep) oddName(p []byte, at int, known uint64) (odd, drawing uint64) {
	for ; known != 0; known &= known - 1 {
		bit, i := known&-known, w.at+at+bits.TrailingZeros64(known)
		name, after, _ := tagWord(p, i)
		switch start := p[i-1] == '<'; {
		case name == svgWord && !start && w.svg >= 0:
			w.svg = -1
			drawing |= bit
		case name == svgWord && start && w.svg < 0 && hasContent(p[after:]):
			w.svg = i - 1 - w.at
			drawing |= bit
		case name == 0 || name == linkWord || elements.of(name).traits&special != 0:
			return bit, drawing
		}
	}
	return 0, drawing
}

// hasContent says whether a tag surely does not end as <name/>.
func hasContent(attributes []byte) bool {
	i := bytes.IndexByte(attributes[:min(len(attributes), 512)], '>')
	return i == 0 || i > 0 && attributes[i-1] != '/'
}

// follow makes the tree follow the tags that end before what is odd. It gives the end of the first that has to be read.
func (w *sweep) follow(p []byte, at int, open, begins, ends, known uint64) (end uint64) {
	ends &= known
	if open != 0 {
		if ends == 0 {
			return 0
		}
		if end = ends & -ends; !w.tree.skimTag(p, w.tag, w.at+at+bits.TrailingZeros64(end)+1, w.base+int64(w.tag)) {
			return end
		}
	}
	for begins &= known; begins != 0; begins &= begins - 1 {
		w.tag = w.at + at + bits.TrailingZeros64(begins)
		if end = ends &^ (begins&-begins - 1); end == 0 {
			return 0
		}
		if end &= -end; !w.tree.skimTag(p, w.tag, w.at+at+bits.TrailingZeros64(end)+1, w.base+int64(w.tag)) {
			return end
		}
	}
	return 0
}

// endsAtOnce says whether the element of this name ends where its start tag does, as icons do.
func endsAtOnce(p []byte, after int, name word) bool {
	if len(p)-after < room/2 || p[after] != '<' {
		return false
	}
	ended, _, start := tagWord(p, after+1)
	return ended == name && !start
}
