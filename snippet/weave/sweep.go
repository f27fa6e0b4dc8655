package weave

import (
	"math/bits"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// room is how much has to be left of a piece for it to be passed over: 64 bytes, and what is looked at behind the
// last of them.
const room = 64 + 16

// sweep passes over stretches of a page in which nothing is to be changed, 64 bytes at a time, without knowing
// their tags. It sees by bitmaps that tags are written as usual, that none of them is of account, and that no
// text has enough digits in a row.
type sweep struct {
	maps  [32]bitmaps
	words int // of them that are made
	at    int // what the first begins at, in the piece

	rules       *Rules
	mask, ender byte // what is ender with these bits set ends a row of digits
	wide        bool // some digits begin with what is no ASCII
	least       int  // digits in a row that matter

	svg     int // where the open drawing begins, in the block, or negative
	value   int // where the open value begins, in the piece
	tag     int // where the open tag begins, in the piece
	follows bool
	base    int64 // the offset of the piece
	tree    *tree
}

func (w *sweep) reset(r *Rules, c *phone.Charset, t *tree) {
	w.tree = t
	w.words, w.least, w.rules, w.wide = 0, r.least, r, c.Wide()
	w.mask, w.ender = c.RowEnder()
}

// over goes on from p[i], which is in text or a "<", where no row of digits is open. Nothing before to, which is
// such a place again, is of account. What is behind it has to be looked at, up to until. A line begins at the tag
// at line, if that is not negative.
func (w *sweep) over(p []byte, i int, bound *steps.Bound) (line, to, until int) {
	for line = -1; ; bound.Take("weave.over") {
		if i < w.at || i >= w.at+64*w.words {
			n := min(len(w.maps), (len(p)-i-room)/64+1)
			if len(p)-i < room {
				return line, i, len(p)
			}
			mapBytes(w.maps[:n], p[i:], &w.rules.prints, w.mask, w.ender)
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

// lastLine is where the last line begins from i up to p[end], or negative.
func (w *sweep) lastLine(p []byte, i, end int) int {
	for at := w.lessBefore(i-w.at, end-w.at); at >= 0; at = w.lessBefore(i-w.at, at) {
		if breaksLine(p, w.at+at) {
			return w.at + at
		}
	}
	return -1
}

// lessBefore is the last "<" of the block from one byte up to another, or negative.
func (w *sweep) lessBefore(from, to int) int {
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

// run goes over the block from its byte start on. It gives where nothing has to be looked at yet, and
// what has to be; that is negative when nothing was seen.
func (w *sweep) run(p []byte, start int) (to, seen int) {
	var (
		tag, equal, less, slash uint64 // what goes on from 64 bytes to the next, as their first bit
		quoted                  uint64 // in a value, all bits
		references              openReferences

		row, value open // digits in a row of text, and in an attribute's value
	)
	w.svg = -1
	live := ^uint64(0) << (start & 63)
	for k := start >> 6; k < w.words; k++ {
		m, at := &w.maps[k], 64*k
		begins := m.less & live
		// A tag goes from "<" to the next ">": adding its beginning flips what it is made of.
		rest := ^m.more
		sum, tagOn := bits.Add64(rest, begins, tag)
		tags := rest &^ sum
		odd := begins & sum // in a tag
		inTag := tag
		tag = tagOn

		// Each "=" leads to a quote that begins a value, and no other quote begins one.
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
				row = had // it may end with a line
				row.read(digits, letters|lineEnds(p[w.at+at:], begins, m.wide&text), at)
			}
		}
		live = ^uint64(0)
	}
	end := 64 * w.words
	if tag|uint64(row.digits) == 0 && w.svg < 0 && w.tree.nesting&drawingOpen == 0 {
		return w.at + end, -1
	}
	return w.at + w.turn(start, end, row), -1
}

// turn is where to go on for what is seen at the byte at: the last "<" before it, before the row of digits that is
// open and before the drawing.
func (w *sweep) turn(start, at int, row open) int {
	if row.digits > 0 {
		at = min(at, row.at)
	}
	if drawing, left := w.tree.leaveDrawing(); left {
		w.svg = int(drawing-w.base) - w.at
	}
	if w.svg >= 0 {
		at = min(at, w.svg+1)
	}
	return max(start, w.lessBefore(start, at))
}

// prefixXor sets each bit of which the bits up to it are odd.
func prefixXor(x uint64) uint64 {
	x ^= x << 1
	x ^= x << 2
	x ^= x << 4
	x ^= x << 8
	x ^= x << 16
	return x ^ x<<32
}

// next is the first byte from i on that is a "<" or may begin a digit.
func (w *sweep) next(p []byte, i int) int {
	for ; i < len(p); i++ {
		switch c := p[i]; {
		case c == '<', '0' <= c && c <= '9':
			return i
		case c >= 0xD9 && w.wide && phone.IsWideDigit(p[i:]):
			return i
		}
	}
	return i
}
