// Package sweep skips parts of a page 64 bytes at a time, by bitmaps that the vector instructions of the machine make.
// The bitmaps show that the tags are written in the usual way, that no tag can change the result, and that no text has
// enough digits in a row. It owns the bitmaps, the fingerprints by which they find words, and the rows of digits. It
// decides nothing: whoever skims a page asks it how far it may go, and reads on from there.
package sweep

import (
	"math/bits"
	"slices"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
	"github.com/seed-3405227d/frontdesk/snippet/weave/nest"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// Room is how many bytes of a piece have to be left for a sweep: a block of 64 bytes, and the bytes that a sweep looks
// at behind them.
const Room = 64 + 16

// Search says what a sweep stops at. It is immutable and may be shared.
type Search struct {
	prints fingerprints // of the words that matter in tags
	marks  []mark       // one for each of these words
	keys   []string
	least  int
}

// NewSearch returns a search for tags in which one of the words stands. The words are in ASCII.
func NewSearch(words ...string) *Search {
	return (&Search{prints: *specialPrints}).With(0, words, nil)
}

// With returns a search for all that this one finds, for rows of at least least digits, and for tags with further words. keys
// are names of attributes whose values may not be written with character references; they are in lower case. A word takes
// some 0.1 ms.
func (s *Search) With(least int, words, keys []string) *Search {
	w := &Search{prints: s.prints, marks: slices.Clip(s.marks), keys: keys, least: least}
	for _, word := range slices.Compact(slices.Sorted(slices.Values(words))) {
		found := w.prints.add(groupsNames, groupsAll, ofValue(word), usualValues)
		w.marks = append(w.marks, found.mark())
	}
	return w
}

// Least returns how many digits in a row the search stops at.
func (s *Search) Least() int { return s.least }

// Sweep skips parts of pages. Reset makes it ready for a page, and Begin for each piece of it. It is not safe for
// concurrent use.
//
// A block is the bytes for which maps holds bitmaps.
type Sweep struct {
	maps  [32]bitmaps
	words int // how many of maps are filled
	at    int // index of the block in the piece

	search      *Search
	mask, ender byte // a byte c ends a row of digits if c|mask == ender
	wide        bool // some digits begin with a byte above ASCII
	least       int  // the least digits in a row that make a number

	svg     int // index of the open SVG in the block, or negative
	value   int // index of the opening quotation mark of the open value, in the piece
	tag     int // index of the "<" of the open tag, in the piece
	follows bool
	base    int64 // offset of the piece in the page
	nest    *nest.Stack
}

// Reset makes the sweep ready for a page in the charset c. The stack follows the tags that are skipped.
func (w *Sweep) Reset(s *Search, c *char.Charset, n *nest.Stack) {
	w.words, w.search, w.least, w.wide, w.nest = 0, s, s.least, c.Wide(), n
	w.mask, w.ender = c.RowEnder()
}

// Begin tells the sweep the offset of the piece in the page, and whether the stack follows its tags.
func (w *Sweep) Begin(base int64, follows bool) {
	if base != w.base {
		w.base, w.words = base, 0
	}
	w.follows = follows
}

// Over sweeps p from i on. p[i] is in text or is a "<", and no row of digits is open there.
//
// Over skips the bytes before to, which is in text or at a "<" again. The caller looks at p[to:until] byte by byte.
// line is the last skipped tag at which a line begins, or -1.
func (w *Sweep) Over(p []byte, i int, bound *steps.Bound) (line, to, until int) {
	for line = -1; ; bound.Take("sweep.Over") {
		if i < w.at || i >= w.at+64*w.words {
			n := min(len(w.maps), (len(p)-i-Room)/64+1)
			if len(p)-i < Room {
				return line, i, len(p)
			}
			mapBytes(w.maps[:n], p[i:], &w.search.prints, w.mask, w.ender)
			w.at, w.words = i, n
		}
		to, until = w.run(p, i-w.at)
		if at := w.lastLine(p, i, to); at >= 0 {
			line = at
		}
		if until >= 0 {
			return line, to, until
		}
		if to == i {
			return line, to, w.at + 64*w.words
		}
		i, w.words = to, 0
	}
}

// lastLine returns the index of the last tag in p[i:end] at which a line begins, or -1.
func (w *Sweep) lastLine(p []byte, i, end int) int {
	for at := w.lessBefore(i-w.at, end-w.at); at >= 0; at = w.lessBefore(i-w.at, at) {
		if token.TagBreaksLine(p, w.at+at) {
			return w.at + at
		}
	}
	return -1
}

// lessBefore returns the index of the last "<" in the bytes from up to to of the block, or -1.
func (w *Sweep) lessBefore(from, to int) int {
	if to <= from {
		return -1
	}
	to--
	less := w.maps[to>>6].less & (1<<(to&63)<<1 - 1)
	for k := to >> 6; ; less = w.maps[k].less {
		if less != 0 {
			if at := k<<6 + 63 - bits.LeadingZeros64(less); at >= from {
				return at
			}
			return -1
		}
		if k--; k < from>>6 {
			return -1
		}
	}
}

// run sweeps the block from its byte start on. It returns the index at which reading has to go on, and the index of the
// byte that stopped the sweep, or -1 if it reached the end of the block. Both are indexes in the piece.
func (w *Sweep) run(p []byte, start int) (to, seen int) {
	var (
		// Each is 1 if the last byte of the 64 before was in a tag, a "=", a "<", or a "/" behind a "<".
		tag, equal, less, slash uint64
		quoted                  uint64 // all bits set if a value goes on from the 64 bytes before
		references              openReferences

		row, value open // digits of a row of text, and of an attribute's value
	)
	w.svg = -1
	live := ^uint64(0) << (start & 63)
	for k := start >> 6; k < w.words; k++ {
		m, at := &w.maps[k], 64*k
		begins := m.less & live
		// A tag goes from "<" to the next ">". The sum carries from each "<" to the next ">", and so clears the bits of
		// the tag.
		rest := ^m.more
		sum, tagOn := bits.Add64(rest, begins, tag)
		tags := rest &^ sum
		odd := begins & sum // a "<" inside a tag
		inTag := tag
		tag = tagOn

		// Each "=" has to stand before the opening quotation mark of a value, and each value has to open behind a "=".
		quotes := m.quote & tags
		values := quoted
		if quotes != 0 {
			values ^= prefixXor(quotes)
		}
		equals := m.equal & tags &^ values
		opening := quotes & values
		odd |= (equals<<1 | equal) ^ opening | m.more&values
		quoted = uint64(int64(values) >> 63)
		equal = equals >> 63
		if figures := m.digit & values; figures != 0 {
			spared := false
			if max(value.digits, 0)+bits.OnesCount64(figures) >= w.least {
				var digit uint64
				digit, spared = w.manyInValue(p, at, figures, opening, value)
				odd |= digit
			}
			if value.read(figures, opening, at); spared {
				value.digits = -len(p)
			}
		}
		if amps := m.ampersand & values; amps != 0 && w.follows {
			odd |= w.oddReference(p, at, amps, opening)
		}
		switch {
		case quoted == 0:
			value.digits = 0
		case opening != 0:
			w.value = w.at + at + 63 - bits.LeadingZeros64(opening)
			if m.digit&values == 0 {
				value.digits = 0
			}
		}

		names := begins<<1 | less
		slashes := names & m.slash
		ends := slashes<<1 | slash
		odd |= names&^(m.letter|m.slash) | ends&^m.letter
		if marked := m.marked & tags; marked != 0 {
			odd |= w.oddMark(p, at, marked)
		}
		less, slash = begins>>63, slashes>>63
		text := live &^ tags
		letters, digits := (m.letter|m.ender)&text, m.digit&text
		letters = references.spare(letters, digits, m.ampersand&text)
		if row.digits+bits.OnesCount64(digits) >= w.least && w.many(digits, letters, row.digits) != 0 {
			digits, letters = spareReferences(p[w.at+at:], m.ampersand&text, digits, letters|lineEnds(p[w.at+at:], begins, m.wide&text))
			odd |= w.many(digits, letters, row.digits)
		}
		if w.wide && m.wide&live != 0 {
			odd |= wideDigit(p[w.at+at:], m.wide&live)
		}
		if known := (names | ends) & m.named; known != 0 {
			name, drawing := w.oddName(p, at, known&(odd&-odd-1))
			odd, letters = odd|name, letters|drawing
		}
		if w.follows {
			odd |= w.follow(p, at, inTag, begins, m.more, odd&-odd-1)
		}
		if odd != 0 {
			seen = bits.TrailingZeros64(odd)
			before := uint64(1)<<seen - 1
			row.read(digits&before, letters&before, at)
			return w.at + w.turn(start, at+seen, row), w.at + at + seen
		}
		if digits|letters != 0 {
			had := row
			if row.read(digits, letters, at); row.digits > w.least/2 {
				row = had // the row may begin or end at a line
				row.read(digits, letters|lineEnds(p[w.at+at:], begins, m.wide&text), at)
			}
		}
		live = ^uint64(0)
	}
	end := 64 * w.words
	if tag|uint64(row.digits) == 0 && w.svg < 0 && !w.nest.InDrawing() {
		return w.at + end, -1
	}
	return w.at + w.turn(start, end, row), -1
}

// turn returns where reading has to go on because of the byte at. It is the last "<" before that byte, before the open
// row of digits, and before the open SVG. All are indexes in the block, and the result is not before start.
func (w *Sweep) turn(start, at int, row open) int {
	if row.digits > 0 {
		at = min(at, row.at)
	}
	if drawing, left := w.nest.LeaveDrawing(); left {
		w.svg = int(drawing-w.base) - w.at
	}
	if w.svg >= 0 {
		at = min(at, w.svg+1)
	}
	return max(start, w.lessBefore(start, at))
}

// prefixXor sets each bit for which an odd number of bits up to and including it are set.
func prefixXor(x uint64) uint64 {
	x ^= x << 1
	x ^= x << 2
	x ^= x << 4
	x ^= x << 8
	x ^= x << 16
	return x ^ x<<32
}

// Next returns the index of the first byte from i on that is a "<" or may begin a digit. It is len(p) if there is none.
func (w *Sweep) Next(p []byte, i int) int {
	for ; i < len(p); i++ {
		switch c := p[i]; {
		case c == '<', '0' <= c && c <= '9':
			return i
		case c >= 0xD9 && w.wide && char.IsWideDigit(p[i:]):
			return i
		}
	}
	return i
}
