package phone

import "unicode/utf8"

// Row follows a row of digits and separators from b[i] on, of which n digits have
// been read. It gives the last byte of what ends it, and its digits. It goes
// no further than to the first markup and to the digit that makes them enough.
func (c *Charset) Row(b []byte, i, n, enough int) (end, digits int) {
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

// Wide says whether digits of other scripts may stand in the charset: whether it is
// UTF-8.
func (c *Charset) Wide() bool { return c.wide }

// IsWideDigit says whether b, which is UTF-8, begins with a digit of another script.
func IsWideDigit(b []byte) bool {
	switch b[0] {
	case 0xD9, 0xDB, 0xE0, 0xE1, 0xEF:
		r, _ := utf8.DecodeRune(b)
		k, _, _ := classify(r)
		return k == figure
	}
	return false
}
