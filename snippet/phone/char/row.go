package char

import "unicode/utf8"

// Row follows a row of digits and separators from b[i] on. The row already has n digits. Row returns the index of the
// last byte of the character that ends the row, and how many digits the row has. It stops early at the digit that makes
// enough, and at a character that is cut at the end of b. "<" ends a row.
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

// Wide says whether the charset has digits of other scripts than ASCII. Only UTF-8 has.
func (c *Charset) Wide() bool { return c.wide }

// IsWideDigit says whether b begins with a digit of another script. b is UTF-8 and not empty.
func IsWideDigit(b []byte) bool {
	switch b[0] {
	case 0xD9, 0xDB, 0xE0, 0xE1, 0xEF:
		r, _ := utf8.DecodeRune(b)
		k, _, _ := Classify(r)
		return k == Figure
	}
	return false
}
