package weave

import (
	"bytes"
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

	drawing   bool // in a drawing that is followed
	drawingAt int  // where it begins, in the block
	drawn     drawn
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
		tag, equal, less, slash, ampersand, reference uint64 // what goes on from 64 bytes to the next, as their first bit
		quoted                                        uint64 // in a value, all bits

		row, value open // digits in a row of text, and in an attribute's value
	)
	w.svg, w.drawing = -1, false
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
			if value.digits+bits.OnesCount64(figures) >= w.least {
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
		if amps := m.ampersand & text; amps|ampersand|reference != 0 {
			// What is written by letters and digits behind "&" ends no row.
			word, first := letters|digits, amps<<1|ampersand
			sum, on := bits.Add64(word, first&word, reference)
			letters &= sum
			ampersand, reference = amps>>63, on
		}
		if row.digits+bits.OnesCount64(digits) >= w.least && w.many(digits, letters, row.digits) != 0 {
			digits, letters = w.spare(p[w.at+at:], m.ampersand&text, digits, letters|lineEnds(p[w.at+at:], begins, m.wide&text))
			odd |= w.many(digits, letters, row.digits)
		}
		if w.wide {
			for high := m.wide & live; high != 0; high &= high - 1 {
				if phone.IsWideDigit(p[w.at+at+bits.TrailingZeros64(high):]) {
					odd |= high & -high
				}
			}
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
	if tag|uint64(row.digits) == 0 && w.svg < 0 && !w.drawing {
		return w.at + end, -1
	}
	return w.at + w.turn(start, end, row), -1
}

// open is a row of digits, or a value of an attribute, that goes on.
type open struct {
	digits int
	at     int // where it begins
}

// read takes the digits of 64 bytes, of which the first is at at. What is open ends at any of the ends.
func (o *open) read(digits, ends uint64, at int) {
	if ends != 0 {
		o.digits = 0
		digits &= ^uint64(0) << (63 - bits.LeadingZeros64(ends))
	}
	if digits != 0 {
		if o.digits == 0 {
			o.at = at + bits.TrailingZeros64(digits)
		}
		o.digits += bits.OnesCount64(digits)
	}
}

// turn is where to go on for what is seen at the byte at: the last "<" before it, before the row of digits that is
// open and before the drawing.
func (w *sweep) turn(start, at int, row open) int {
	if row.digits > 0 {
		at = min(at, row.at)
	}
	if w.drawing {
		w.svg = w.drawingAt
	}
	if w.svg >= 0 {
		at = min(at, w.svg+1)
	}
	return max(start, w.lessBefore(start, at))
}

// many is the first of enough digits between ends, some of which have come before.
func (w *sweep) many(digits, ends uint64, before int) uint64 {
	for digits != 0 {
		first := digits & -digits
		if ends&(first-1) != 0 {
			before = 0
		}
		ends &^= first - 1
		group := digits
		if ends != 0 {
			group &= ends&-ends - 1
		}
		if before+bits.OnesCount64(group) >= w.least {
			return first
		}
		digits &^= group
	}
	return 0
}

// spare takes character references that are no digits out of the digits of a row, and ends it at those that
// are no separators.
func (w *sweep) spare(p []byte, ampersands, digits, ends uint64) (uint64, uint64) {
	for ; ampersands != 0; ampersands &= ampersands - 1 {
		i := bits.TrailingZeros64(ampersands)
		if p[i+1] != '#' {
			continue
		}
		size, digit, goesOn := phone.RowReference(p[i:])
		if size > 1 && !digit {
			digits &^= (1<<size - 1) << i
			if !goesOn {
				ends |= 1 << i
			}
		}
	}
	return digits, ends
}

// lineEnds are the tags at which a line begins or ends, and the currency signs.
func lineEnds(p []byte, tags, high uint64) (ends uint64) {
	for ; tags != 0; tags &= tags - 1 {
		if breaksLine(p, bits.TrailingZeros64(tags)) {
			ends |= tags & -tags
		}
	}
	for ; high != 0; high &= high - 1 {
		if i := bits.TrailingZeros64(high); p[i] == 0xE2 && p[i+1] == 0x82 {
			ends |= high & -high
		}
	}
	return ends
}

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

// follow makes the tree follow the tags that end before what is odd. It gives the end of the first that has to be read.
func (w *sweep) follow(p []byte, at int, open, begins, ends, known uint64) (end uint64) {
	ends &= known
	if open != 0 {
		if ends == 0 {
			return 0
		}
		if end = ends & -ends; !w.followTag(p, w.tag, w.at+at+bits.TrailingZeros64(end)+1) {
			return end
		}
	}
	for begins &= known; begins != 0; begins &= begins - 1 {
		w.tag = w.at + at + bits.TrailingZeros64(begins)
		if end = ends &^ (begins&-begins - 1); end == 0 {
			return 0
		}
		if end &= -end; !w.followTag(p, w.tag, w.at+at+bits.TrailingZeros64(end)+1) {
			return end
		}
	}
	return 0
}

// followTag makes the tree follow the tag from p[i] to p[after]. It gives false, and has changed nothing, where the tag
// has to be read. A drawing is followed when it has ended.
func (w *sweep) followTag(p []byte, i, after int) bool {
	name, behind, start := tagWord(p, i+1)
	switch at := w.base + int64(i); {
	case name == svgWord && start:
		w.drawn, w.drawing, w.drawingAt = drawn{}, true, i-w.at
		return true
	case name == svgWord:
		w.drawing = w.drawn.depth > 0 || !w.tree.skimAside(at, uint64(name))
		return !w.drawing
	case w.drawing:
		return w.drawn.follow(p, after, name, start)
	case start:
		return w.tree.skimStart(at, name, p[behind] == '>', endsAtOnce(p, after, name))
	default:
		return w.tree.skimEnd(at, name, p[behind] == '>')
	}
}

// endsAtOnce says whether the element of this name ends where its start tag does, as icons do.
func endsAtOnce(p []byte, after int, name word) bool {
	if len(p)-after < room/2 || p[after] != '<' {
		return false
	}
	ended, _, start := tagWord(p, after+1)
	return ended == name && !start
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
		case name == 0 || name == linkWord || elements.of(name)&special != 0:
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
