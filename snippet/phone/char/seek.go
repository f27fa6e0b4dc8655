package char

import (
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// role is what a byte means in a row of digits and separators.
type role uint8

const (
	ends role = iota
	goesOn
	follows // may stand behind a digit, but not before the first one
	counts
	starts  // may begin a writing
	unclear // begins a sequence of bytes that decides
)

// MaxGap is the most bytes of text between two digits.
const MaxGap = 128

// SeekRow returns the index of the first byte from i on that begins a row with enough digits for a number, or a row
// that reaches the end of b. It returns len(b) if there is none.
func (c *Charset) SeekRow(b []byte, i, enough int) int {
	for bound := steps.Over(len(b)); i < len(b); bound.Take("phone.seekRow") {
		next, found := c.skim(b, i, enough)
		if found {
			return next
		}
		i = next
	}
	return len(b)
}

// skim reads a row from b[i] on. enough is true if the row has enough digits for a number, or reaches the end of b.
// Then next is the first byte of a possible writing, and otherwise the byte behind the row. A gap of more than maxGap
// bytes ends a writing, as in a run.
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
			case r == follows && digits == 0: // a run ends here too
				first, gap = -1, 0
			case r == starts && first < 0:
				first = i
			}
			if first >= 0 {
				if gap += size; gap > MaxGap {
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

// clarify returns the role and the size of the character at the beginning of b. size is 0 if b is too short.
func (c *Charset) clarify(b []byte) (r role, size int) {
	var t Token
	if b[0] == '&' {
		t = ReadReference(b, false)
	} else if utf8.FullRune(b) {
		char, size := utf8.DecodeRune(b)
		t = TokenOf(char, size)
	}
	return roleOf[t.Kind], int(t.Size)
}

// roleOf holds the role of each kind.
var roleOf = [...]role{
	Other: ends, Figure: counts, Plus: starts, Opening: starts, Space: goesOn, Hidden: goesOn,
	Closing: follows, Dash: follows, Dot: follows, Slash: follows, Comma: follows, Colon: follows,
	Leading: unclear, Ampersand: unclear, Percent: ends, Backslash: ends,
}

// sortRoles sets the roles of bytes by their kinds.
func (c *Charset) sortRoles() {
	c.upper = !c.wide
	for b := range 256 {
		c.roles[b] = roleOf[c.Kinds[b]]
		c.upper = c.upper && (b < 0xC0 || c.roles[b] == ends)
		if c.Kinds[b] == Leading {
			// In UTF-8, only these bytes begin a digit, a separator or a mark.
			switch b {
			case 0xC2, 0xD8, 0xD9, 0xDB, 0xE0, 0xE1, 0xE2, 0xE3, 0xEF:
			default:
				c.roles[b] = ends
			}
		}
	}
}

// SeekEscaped returns the index of the first byte from i on that may begin a writing, or len(b). escape, a percent sign
// or a backslash, may begin one too.
func (c *Charset) SeekEscaped(b []byte, i int, escape byte) int {
	for ; i < len(b); i++ {
		if r := c.roles[b[i]]; r > follows || b[i] == escape {
			break
		}
	}
	return i
}
