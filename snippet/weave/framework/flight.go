package framework

import "bytes"

// Flight follows the rows of React's server components. A text row begins with "14:T485,", where 485 is its length in
// hexadecimal, and the next row stands right behind its text. Either could be taken for a part of a number, so Flight
// finds where a text begins and ends. In a page, the rows are strings in scripts.
type Flight struct {
	// Script says that the rows are strings in scripts, with escapes.
	Script bool

	seen   uint8
	length int
	left   int  // bytes of the text still to come
	inside bool // inside a string
	escape uint8
	unit   int // the UTF-16 unit that an escape spells
}

// Begin begins a script. It does not begin inside of a string.
func (f *Flight) Begin() { f.inside = false }

// textRow stands before the length of a text row.
var textRow = []byte(":T")

// maxFlightLength is how many digits the length of a text row has at most.
const maxFlightLength = 7

// Next returns how many bytes of b stand before the beginning or end of a text. ok is false if b holds neither.
func (f *Flight) Next(b []byte) (n int, ok bool) {
	for i := 0; i < len(b); i++ {
		c := b[i]
		digit := hexValue(c)
		switch {
		case f.left > 0:
			if f.left -= f.weigh(c); f.left <= 0 {
				f.left = 0
				return i + 1, true
			}
		case c == ':':
			f.seen = 1
		case f.seen == 1 && c == 'T':
			f.seen, f.length = 2, 0
		case f.seen > 2 && c == ',':
			f.seen, f.left, f.inside = 0, f.length, true
			return i + 1, true
		case f.seen >= 2 && f.seen < 2+maxFlightLength && digit >= 0:
			f.seen++
			f.length = f.length<<4 | digit
		default:
			f.seen = 0
			n := bytes.Index(b[i:], textRow)
			switch {
			case n >= 0:
				i += n - 1
			case b[len(b)-1] == ':':
				i = len(b) - 2
			default:
				return len(b), false
			}
		}
	}
	return len(b), false
}

// weigh returns how many bytes of UTF-8 the byte c adds to the text.
func (f *Flight) weigh(c byte) int {
	switch {
	case !f.Script:
		return 1
	case !f.inside: // between two scripts
		f.inside = c == '"'
		return 0
	case f.escape == 0 && c == '"':
		f.inside = false
		return 0
	case f.escape == 0 && c == '\\':
		f.escape = 1
		return 0
	case f.escape == 0:
		return 1
	case f.escape == 1 && c != 'u':
		f.escape = 0
		return 1
	case f.escape == 1:
		f.escape, f.unit = 2, 0
		return 0
	}
	f.unit = f.unit<<4 | max(hexValue(c), 0)
	if f.escape++; f.escape < 6 {
		return 0
	}
	f.escape = 0
	switch {
	case f.unit < 0x80:
		return 1
	case f.unit < 0x800, 0xD800 <= f.unit && f.unit < 0xE000: // half of a surrogate pair, which takes four bytes
		return 2
	}
	return 3
}

func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}
