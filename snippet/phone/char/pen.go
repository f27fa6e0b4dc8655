package char

import (
	"strconv"
	"unicode/utf8"
)

// AppendDigit writes a digit in the way of the pen. In each way, all ten digits have the same size.
func (p Pen) AppendDigit(b []byte, value, size uint8) []byte {
	r := Zeros[p.script] + rune(value)
	switch p.mode {
	case raw:
		return utf8.AppendRune(b, r)
	case percentEscape:
		return append(b, '%', '3', '0'+value)
	case stringEscape, upperStringEscape:
		for range p.width {
			b = append(b, '\\')
		}
		b = append(b, 'u')
		return appendPadded(b, r, 16, 4, p.mode == upperStringEscape)
	case decimalReference:
		b = append(b, '&', '#')
		b = appendPadded(b, r, 10, int(p.width), false)
	default:
		b = append(b, '&', '#', p.x)
		b = appendPadded(b, r, 16, int(p.width), p.mode == upperHexReference)
	}
	if !p.open {
		b = append(b, ';')
	}
	return b
}

func appendPadded(b []byte, r rune, base, width int, upper bool) []byte {
	var buffer [8]byte
	digits := strconv.AppendInt(buffer[:0], int64(r), base)
	for range width - len(digits) {
		b = append(b, '0')
	}
	for _, c := range digits {
		if upper {
			c = upperCase(c)
		}
		b = append(b, c)
	}
	return b
}

// Plain is the pen that writes the digits themselves: those of the pen's script, or of ASCII if it writes references.
func (p Pen) Plain() Pen {
	if p.mode != raw {
		p.script, p.mode = 0, raw
	}
	return p
}
