package phone

import "unicode/utf8"

// kind is what a character or a character reference means in a writing.
type kind uint8

const (
	other  kind = iota
	figure      // a decimal digit
	plus
	opening // parenthesis
	closing
	space
	dash
	dot
	slash
	hidden // people do not see it: soft hyphen, joiners, marks of direction
	comma  // never inside a writing, but matters beside one
	colon

	// The kinds that only a byte has, and no token.
	leading   // begins a character of several bytes
	ampersand // may begin a character reference
	percent   // may begin an escape of a link
	backslash // may begin an escape of a string
)

// token is a character or a character reference.
type token struct {
	kind  kind
	value uint8 // if kind is figure
	size  uint8 // in bytes
	pen   pen   // if kind is figure
	char  rune
}

// pen is how a digit is written, so that another digit can be written in the same way.
type pen struct {
	script uint8 // index into zeros
	mode   penMode
	width  uint8 // of a character reference, its digits with leading zeros; of an escape, its backslashes
	x      byte  // the "x" or "X" of a hexadecimal reference
	open   bool  // a reference without a semicolon
}

type penMode uint8

const (
	raw penMode = iota
	decimalReference
	hexReference      // &#x…; with lower-case letters, if any
	upperHexReference // with upper-case letters
	percentEscape     // %3x
	stringEscape      // \u003x, with one or more backslashes
	upperStringEscape
)

// zeros are the zeros of the scripts whose digits are recognised. The other nine digits of a script follow its zero.
// The scripts are ASCII, Arabic, Persian and Urdu, Devanagari, Bengali, Gurmukhi, Gujarati, Thai, Lao, Burmese, Khmer,
// and full-width.
var zeros = [...]rune{
	'0', 0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0E50, 0x0ED0, 0x1040, 0x17E0, 0xFF10,
}

// classify returns what a character means in a writing. value and script are those of a figure.
func classify(r rune) (k kind, value, script uint8) {
	switch {
	case '0' <= r && r <= '9':
		return figure, uint8(r - '0'), 0
	case r >= 0x660:
		for i := 1; i < len(zeros); i++ {
			if r >= zeros[i] && r <= zeros[i]+9 {
				return figure, uint8(r - zeros[i]), uint8(i)
			}
		}
	}
	switch r {
	case '+', 0xFF0B, 0xFE62:
		return plus, 0, 0
	case '(', 0xFF08:
		return opening, 0, 0
	case ')', 0xFF09:
		return closing, 0, 0
	case ' ', '\t', '\n', '\r', '\f', 0xA0, 0x1680, 0x202F, 0x205F, 0x3000:
		return space, 0, 0
	case '-', 0x2212, 0x2043, 0xFE58, 0xFE63, 0xFF0D, 0x30FC:
		return dash, 0, 0
	case '.', 0xB7, 0x2022, 0x2024, 0x2219, 0x22C5, 0xFF0E:
		return dot, 0, 0
	case '/', 0x2044, 0x2215, 0xFF0F:
		return slash, 0, 0
	case ',', 0xFF0C:
		return comma, 0, 0
	case ':', 0xFF1A:
		return colon, 0, 0
	case 0xAD, 0x61C, 0x20E3, 0xFE0E, 0xFE0F, 0xFEFF:
		return hidden, 0, 0
	}
	switch {
	case r >= 0x2000 && r <= 0x200A:
		return space, 0, 0
	case r >= 0x2010 && r <= 0x2015:
		return dash, 0, 0
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x2069:
		return hidden, 0, 0
	}
	return other, 0, 0
}

func tokenOf(r rune, size int) token {
	k, value, script := classify(r)
	return token{kind: k, value: value, size: uint8(size), pen: pen{script: script}, char: r}
}

// incomplete is the token of bytes that may go on in the next piece.
var incomplete token

// next reads the token at the beginning of b, which is not empty. It returns a token of size 0 if the token may go on
// behind b. last says that nothing follows b.
func (m *Matcher) next(b []byte, last bool) token {
	c := b[0]
	switch k := m.charset.kinds[c]; k {
	case figure:
		return token{kind: figure, value: c - '0', size: 1, char: rune(c)}
	case leading:
		if !last && !utf8.FullRune(b) {
			return incomplete
		}
		r, size := utf8.DecodeRune(b)
		return tokenOf(r, size)
	case ampersand:
		return readReference(b, last)
	case percent:
		if m.place == Link {
			return readPercent(b, last)
		}
		return token{kind: other, size: 1, char: '%'}
	case backslash:
		if m.place == Data {
			return readStringEscape(b, last)
		}
		return token{kind: other, size: 1, char: '\\'}
	default:
		return token{kind: k, size: 1, char: m.charset.runes[c]}
	}
}
