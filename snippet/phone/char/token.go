package char

// Kind is what a character or a character reference means in a writing.
type Kind uint8

const (
	Other  Kind = iota
	Figure      // a decimal digit
	Plus
	Opening // parenthesis
	Closing
	Space
	Dash
	Dot
	Slash
	Hidden // people do not see it: soft hyphen, joiners, marks of direction
	Comma  // never inside a writing, but matters beside one
	Colon

	// The kinds that only a byte has, and no token.
	Leading   // begins a character of several bytes
	Ampersand // may begin a character reference
	Percent   // may begin an escape of a link
	Backslash // may begin an escape of a string
)

// Token is a character or a character reference.
type Token struct {
	Kind  Kind
	Value uint8 // if kind is figure
	Size  uint8 // in bytes
	Pen   Pen   // if kind is figure
	Char  rune
}

// Pen is how a digit is written, so that another digit can be written in the same way.
type Pen struct {
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

// Zeros are the zeros of the scripts whose digits are recognised. The other nine digits of a script follow its zero.
// The scripts are ASCII, Arabic, Persian and Urdu, Devanagari, Bengali, Gurmukhi, Gujarati, Thai, Lao, Burmese, Khmer,
// and full-width.
var Zeros = [...]rune{
	'0', 0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0E50, 0x0ED0, 0x1040, 0x17E0, 0xFF10,
}

// Classify returns what a character means in a writing. value and script are those of a figure.
func Classify(r rune) (k Kind, value, script uint8) {
	switch {
	case '0' <= r && r <= '9':
		return Figure, uint8(r - '0'), 0
	case r >= 0x660:
		for i := 1; i < len(Zeros); i++ {
			if r >= Zeros[i] && r <= Zeros[i]+9 {
				return Figure, uint8(r - Zeros[i]), uint8(i)
			}
		}
	}
	switch r {
	case '+', 0xFF0B, 0xFE62:
		return Plus, 0, 0
	case '(', 0xFF08:
		return Opening, 0, 0
	case ')', 0xFF09:
		return Closing, 0, 0
	case ' ', '\t', '\n', '\r', '\f', 0xA0, 0x1680, 0x202F, 0x205F, 0x3000:
		return Space, 0, 0
	case '-', 0x2212, 0x2043, 0xFE58, 0xFE63, 0xFF0D, 0x30FC:
		return Dash, 0, 0
	case '.', 0xB7, 0x2022, 0x2024, 0x2219, 0x22C5, 0xFF0E:
		return Dot, 0, 0
	case '/', 0x2044, 0x2215, 0xFF0F:
		return Slash, 0, 0
	case ',', 0xFF0C:
		return Comma, 0, 0
	case ':', 0xFF1A:
		return Colon, 0, 0
	case 0xAD, 0x61C, 0x20E3, 0xFE0E, 0xFE0F, 0xFEFF:
		return Hidden, 0, 0
	}
	switch {
	case r >= 0x2000 && r <= 0x200A:
		return Space, 0, 0
	case r >= 0x2010 && r <= 0x2015:
		return Dash, 0, 0
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x2069:
		return Hidden, 0, 0
	}
	return Other, 0, 0
}

func TokenOf(r rune, size int) Token {
	k, value, script := Classify(r)
	return Token{Kind: k, Value: value, Size: uint8(size), Pen: Pen{script: script}, Char: r}
}

// Incomplete is the token of bytes that may go on in the next piece.
var Incomplete Token
