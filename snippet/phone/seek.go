package phone

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = highs - ones
)

// role is what a byte does to a row of digits and separators, as far as the byte
// alone can say.
type role uint8

const (
	ends role = iota
	goesOn
	follows // goes on behind a digit, and leads to none
	counts
	starts  // goes on, and may begin a writing
	unclear // begins something of several bytes
)

// coarseDigits is how many digits a writing must have for seekFigure to notice
// it. Of a row of bytes, all but three at either end lie in whole groups of four;
// so one of seven digits does.
const coarseDigits = 7

// search looks for rows of digits and separators in a piece of text.
type search struct {
	charset *Charset
	b       []byte
	least   int // digits that a row must have to matter
}

// row finds the first byte at or behind i that begins a row with enough digits to
// be a number, or a row that reaches the end of the text and may go on. The answer
// is the text's length when there is none.
func (s *search) row(i int) int {
	bound := steps.Over(len(s.b))
	if s.least >= coarseDigits {
		for ; ; bound.Take("phone.row") {
			found, ok := s.figure(i)
			if !ok {
				if s.endsPlain() {
					return len(s.b)
				}
				i = s.charset.back(s.b, i, found)
				break
			}
			next, enough := s.charset.skim(s.b, s.charset.back(s.b, i, found), s.least)
			if enough {
				return next
			}
			i = next
		}
	}
	for ; i < len(s.b); bound.Take("phone.row") {
		next, enough := s.charset.skim(s.b, i, s.least)
		if enough {
			return next
		}
		i = next
	}
	return len(s.b)
}

// figure finds a place at which a writing may have been for some bytes: four bytes
// with a digit and without a letter, a character reference, or a byte that may
// begin another script's digit. It looks at eight bytes at a time and passes over
// most of a page's digits. When less than eight bytes are left it stops, and tells
// where, with ok false.
func (s *search) figure(i int) (found int, ok bool) {
	b, c := s.b, s.charset
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		var letters uint64
		if x&highs == 0 {
			letters = x << 1 & highs
		} else {
			letters = c.letters(x)
			if c.wide && (x&lows+(0x80-0x58)*ones)&x&highs != 0 {
				if wide := wideBytes(x); wide != 0 {
					at := bits.TrailingZeros64(wide) >> 3
					if amp := equalBytes(x, '&'); amp != 0 {
						at = min(at, bits.TrailingZeros64(amp)>>3)
					}
					return i + at, true
				}
			}
		}
		if ampersands := equalBytes(x, '&'); ampersands != 0 {
			at := i + bits.TrailingZeros64(ampersands)>>3
			if ampersands&(ampersands-1) != 0 || at+1 == len(b) || b[at+1] == '#' || isAlphanumeric(b[at+1]) {
				return at, true
			}
		}
		if uint32(letters) != 0 && letters>>32 != 0 {
			continue
		}
		digits := digitBytes(x)
		if uint32(letters) != 0 {
			digits &^= 1<<32 - 1
		}
		if letters>>32 != 0 {
			digits &= 1<<32 - 1
		}
		if digits == 0 {
			continue
		}
		at := i + bits.TrailingZeros64(digits)>>3
		if at+8 > len(b) {
			return at, true
		}
		// Most rows end soon: with a letter among the next eight bytes, before
		// which there are too few digits, with the three that may stand before.
		x = binary.LittleEndian.Uint64(b[at:])
		letters = c.letters(x)
		before := (letters - 1) &^ letters
		if letters == 0 || equalBytes(x, '&')&before != 0 || bits.OnesCount64(digitBytes(x)&before)+3 >= s.least {
			return at, true
		}
		i = at + bits.TrailingZeros64(letters)>>3 + 1 - 8
	}
	return i, false
}

// endsPlain tells, where figure has come to less than eight bytes from the end,
// that no row is left: in the last eight bytes no reference begins, and they have
// a letter, nothing behind it that a writing may begin with, and too few digits
// before it.
func (s *search) endsPlain() bool {
	if len(s.b) < 8 {
		return false
	}
	x := binary.LittleEndian.Uint64(s.b[len(s.b)-8:])
	letters := s.charset.letters(x)
	digits := digitBytes(x)
	if s.charset.wide {
		letters |= equalBytes(x|ones, 0xD1) << 8 & (x &^ (x << 1)) // Cyrillic letters' second bytes
	}
	marks := digits | equalBytes(x, '(') | equalBytes(x, '+') | x&^letters&highs
	return marks < letters && equalBytes(x, '&') == 0 && bits.OnesCount64(digits)+3 < s.least
}

// back is where the row of digits and separators begins that goes up to i, or
// from, where that is later.
func (c *Charset) back(b []byte, from, i int) int {
	for i > from {
		k := i - 1
		if c.wide && b[k] >= utf8.RuneSelf {
			for k > from && k > i-utf8.UTFMax && !utf8.RuneStart(b[k]) {
				k--
			}
		}
		if c.roles[b[k]] == ends {
			break
		}
		i = k
	}
	return i
}

// skim reads a row from b[i] on. When it has enough digits to be a number, or goes
// up to the end of b, next is the byte that a writing in it may begin with;
// otherwise next is behind the row. As in a run, a gap may only be so wide.
func (c *Charset) skim(b []byte, i, least int) (next int, enough bool) {
	digits, gap, first := 0, 0, -1
	for i < len(b) {
		size := 1
		r := c.roles[b[i]]
		if r == unclear {
			if r, size = c.clarify(b[i:]); size == 0 {
				if first < 0 {
					first = i
				}
				return first, true
			}
		}
		switch r {
		case ends:
			return i + size, false
		case counts:
			if first < 0 {
				first = i
			}
			if digits++; digits == least {
				return first, true
			}
			gap = 0
		case starts, goesOn, follows:
			switch {
			case r == follows && digits == 0: // where a run ends, too
				first, gap = -1, 0
			case r == starts && first < 0:
				first = i
			}
			if first >= 0 {
				if gap += size; gap > maxGap {
					digits, gap, first = 0, 0, -1
				}
			}
		}
		i += size
	}
	if first < 0 {
		return len(b), false
	}
	return first, true
}

// clarify tells the role of what begins at b; size is 0 when b is too short.
func (c *Charset) clarify(b []byte) (r role, size int) {
	var t token
	if b[0] == '&' {
		t = readReference(b, false)
	} else if utf8.FullRune(b) {
		char, size := utf8.DecodeRune(b)
		t = tokenOf(char, size)
	}
	return roleOf[t.kind], int(t.size)
}

// roleOf gives the role of each kind.
var roleOf = [...]role{
	other: ends, figure: counts, plus: starts, opening: starts, space: goesOn, hidden: goesOn,
	closing: follows, dash: follows, dot: follows, slash: follows, comma: follows, colon: follows,
	leading: unclear, ampersand: unclear, percent: ends, backslash: ends,
}

// sortRoles derives the roles of bytes from their kinds.
func (c *Charset) sortRoles() {
	c.upper = !c.wide
	for b := range 256 {
		c.roles[b] = roleOf[c.kinds[b]]
		c.upper = c.upper && (b < 0xC0 || c.roles[b] == ends)
		if c.kinds[b] == leading {
			// Only these begin a digit, a separator or a mark in UTF-8.
			switch b {
			case 0xC2, 0xD8, 0xD9, 0xDB, 0xE0, 0xE1, 0xE2, 0xE3, 0xEF:
			default:
				c.roles[b] = ends
			}
		}
	}
}

// seekEscaped finds the first byte at or behind i that a writing may begin with,
// where escape, a percent sign or a backslash, may begin a digit too.
func (c *Charset) seekEscaped(b []byte, i int, escape byte) int {
	for ; i < len(b); i++ {
		if r := c.roles[b[i]]; r > follows || b[i] == escape {
			break
		}
	}
	return i
}

// digitBytes has the high bit of every byte that is an ASCII digit.
func digitBytes(x uint64) uint64 {
	y := x ^ '0'*ones // digits become 0…9
	return ^((y&lows + (0x80-10)*ones) | y) & highs
}

// letters has the high bit of bytes that no writing contains: of most letters,
// and of no other byte.
func (c *Charset) letters(x uint64) uint64 {
	switch {
	case c.wide: // Cyrillic too, which is most of what is not ASCII on its pages
		return letterBytes(x) | equalBytes(x|ones, 0xD1)
	case c.upper:
		return x << 1 & highs
	}
	return letterBytes(x)
}

// letterBytes has the high bit of every byte from "@" to DEL: ASCII's letters and
// signs that no writing contains.
func letterBytes(x uint64) uint64 { return x << 1 &^ x & highs }

// wideBytes has the high bit of every byte that begins a digit of the scripts in
// zeros: D9 and DB, E0 and E1, EF.
func wideBytes(x uint64) uint64 {
	return equalBytes(x|2*ones, 0xDB) | equalBytes(x|ones, 0xE1) | equalBytes(x, 0xEF)
}

// equalBytes has the high bit of every byte of x that is c.
func equalBytes(x uint64, c byte) uint64 {
	y := x ^ uint64(c)*ones
	return ^((y&lows + lows) | y) & highs
}
