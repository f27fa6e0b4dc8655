package phone

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Row follows a row of digits and separators from b[i] on, of which n digits have
// been read. It gives the last byte of what ends it, and its digits. It goes
// no further than to the first markup and to the digit that makes them enough.
func (c *Charset) Row(b []byte, i, n, enough int) (end, digits int) {
	from, had := i, n
	for i < len(b) {
		if i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			stop := letterBytes(x) | equalBytes(x, '<')
			before := ^uint64(0)
			if stop != 0 {
				before = (stop - 1) &^ stop
			}
			if odd := (equalBytes(x, '&') | x&highs) & before; odd == 0 {
				if n += bits.OnesCount64(digitBytes(x) & before); n >= enough {
					return c.row(b, from, had, enough) // what is no letter may have ended it
				}
				if stop != 0 {
					return i + bits.TrailingZeros64(stop)>>3, n
				}
				i += 8
				continue
			} else if x&(1<<48-1) == nbsp {
				i += 6
				continue
			}
		}
		return c.row(b, i, n, enough)
	}
	return i, n
}

// row does what Row does, byte by byte.
func (c *Charset) row(b []byte, i, n, enough int) (end, digits int) {
	for i < len(b) {
		size := 1
		r := c.roles[b[i]]
		if r == unclear {
			if r, size = c.clarify(b[i:]); size == 0 {
				return i, n
			}
		}
		switch r {
		case ends:
			return i + size - 1, n
		case counts:
			if n++; n == enough {
				return i, n
			}
		}
		i += size
	}
	return i, n
}

// nbsp is the reference that most rows have, as six bytes in little-endian order.
const nbsp = '&' | 'n'<<8 | 'b'<<16 | 's'<<24 | 'p'<<32 | ';'<<40

// Wide says whether digits of other scripts may stand in the charset: whether it is
// UTF-8.
func (c *Charset) Wide() bool { return c.wide }

// MayBeWide says whether one of eight bytes may begin a digit of another script in
// UTF-8.
func MayBeWide(x uint64) bool {
	return (x&lows+(0x80-0x58)*ones)&x&highs != 0 && wideBytes(x) != 0
}

// HasWideDigit says whether a digit of another script begins in the first n bytes of
// b, which is UTF-8 and at least two bytes longer.
func HasWideDigit(b []byte, n int) bool {
	for i, c := range b[:n] {
		switch c {
		case 0xD9, 0xDB, 0xE0, 0xE1, 0xEF:
			r, _ := utf8.DecodeRune(b[i:])
			if k, _, _ := classify(r); k == figure {
				return true
			}
		}
	}
	return false
}
