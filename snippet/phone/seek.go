package phone

import (
	"encoding/binary"
	"math/bits"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = highs - ones
)

// seek finds the first byte at or behind i at which a writing may begin: a digit,
// "+", "(" or "&", and in UTF-8 the first byte of a character that may be another
// script's digit. It looks at eight bytes at a time; a page has few such bytes.
// The answer is len(b) when there is none.
func (c *Charset) seek(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		found := digitBytes(x) | markBytes(x)
		if x&highs != 0 && c.wide {
			found |= wideBytes(x)
		}
		if found != 0 {
			return i + bits.TrailingZeros64(found)>>3
		}
	}
	for ; i < len(b); i++ {
		if begins[b[i]] > 0 && (c.wide || b[i] < 0x80) {
			return i
		}
	}
	return i
}

// seekLink is seek for links, where "%" may begin a digit too.
func (c *Charset) seekLink(b []byte, i int) int {
	for ; i < len(b); i++ {
		if b[i] == '%' || begins[b[i]] > 0 && (c.wide || b[i] < 0x80) {
			break
		}
	}
	return i
}

// begins tells for each byte whether seek stops at it.
var begins = func() (t [256]uint8) {
	for b := range 256 {
		x := uint64(b)
		if (digitBytes(x)|markBytes(x)|wideBytes(x))&0x80 != 0 {
			t[b] = 1
		}
	}
	return t
}()

// digitBytes has the high bit of every byte that is an ASCII digit.
func digitBytes(x uint64) uint64 {
	y := x ^ '0'*ones // digits become 0…9
	return ^((y&lows + (0x80-10)*ones) | y) & highs
}

// markBytes has the high bit of every byte that is "&", "(" or "+".
func markBytes(x uint64) uint64 {
	return equalBytes(x, '&') | equalBytes(x, '(') | equalBytes(x, '+')
}

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
