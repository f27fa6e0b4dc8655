package weave

import "bytes"

// flight follows the rows of React's server components, to know where a text row
// begins: "14:T485," stands right before its text, with 485 the length in
// hexadecimal, and would be taken for a part of a number.
type flight struct{ seen uint8 }

// maxFlightLength is how many digits a text row's length has at most.
const maxFlightLength = 8

// next gives how much of b there is before a text begins; ok is false when none does.
func (f *flight) next(b []byte) (n int, ok bool) {
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case c == ':':
			f.seen = 1
		case f.seen == 1 && c == 'T':
			f.seen = 2
		case f.seen > 2 && c == ',':
			f.seen = 0
			return i + 1, true
		case f.seen >= 2 && f.seen < 2+maxFlightLength && ('0' <= c && c <= '9' || 'a' <= c && c <= 'f'):
			f.seen++
		default:
			f.seen = 0
			n := bytes.IndexByte(b[i:], ':')
			if n < 0 {
				return len(b), false
			}
			i += n - 1
		}
	}
	return len(b), false
}
