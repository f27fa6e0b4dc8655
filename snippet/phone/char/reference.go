package char

// MaxReference is how many bytes a character reference may have to be read. The longest name below needs 18 bytes, and
// numbers may have leading zeros.
const MaxReference = 20

// names are the named character references that may be part of a writing, or that matter beside one.
var names = map[string]rune{
	"nbsp": 0xA0, "NonBreakingSpace": 0xA0, "ensp": 0x2002, "emsp": 0x2003, "emsp13": 0x2004, "emsp14": 0x2005,
	"numsp": 0x2007, "puncsp": 0x2008, "thinsp": 0x2009, "ThinSpace": 0x2009, "hairsp": 0x200A,
	"VeryThinSpace": 0x200A, "MediumSpace": 0x205F, "Tab": '\t', "NewLine": '\n',
	"hyphen": 0x2010, "dash": 0x2010, "ndash": 0x2013, "mdash": 0x2014, "horbar": 0x2015, "minus": 0x2212,
	"period": '.', "middot": 0xB7, "centerdot": 0xB7, "CenterDot": 0xB7, "bull": 0x2022, "bullet": 0x2022, "sdot": 0x22C5,
	"sol": '/', "frasl": 0x2044, "plus": '+', "lpar": '(', "rpar": ')', "comma": ',', "colon": ':',
	"shy": 0xAD, "zwj": 0x200D, "zwnj": 0x200C, "lrm": 0x200E, "rlm": 0x200F, "ZeroWidthSpace": 0x200B, "NoBreak": 0x2060,
	"num": '#', "numero": 0x2116, "percnt": '%', "equals": '=', "lowbar": '_', "commat": '@', "bsol": '\\',
	"dollar": '$', "cent": 0xA2, "pound": 0xA3, "yen": 0xA5, "euro": 0x20AC, "curren": 0xA4,
}

// Reference reads the character reference at the beginning of b. It returns the character and the reference's size in
// bytes. Nothing follows b. For a reference that cannot matter to a writing of a number, it returns the ampersand
// alone.
func Reference(b []byte) (char rune, size int) {
	t := ReadReference(b, true)
	return t.Char, int(t.Size)
}

// ReadReference reads the character reference at the beginning of b. A numeric reference may lack its semicolon, and so
// may &nbsp and &shy (HTML standard, 13.2.5.72 and the following). The ampersand of any other reference is a character
// by itself. last says that nothing follows b.
func ReadReference(b []byte, last bool) Token {
	alone := Token{Kind: Other, Size: 1, Char: '&'}
	if len(b) == 1 {
		if last {
			return alone
		}
		return Incomplete
	}
	if b[1] == '#' {
		return readNumeric(b, last)
	}
	i := 1
	for i < len(b) && i < MaxReference && isAlphanumeric(b[i]) {
		i++
	}
	if i == len(b) && i < MaxReference && !last {
		return Incomplete
	}
	r, known := names[string(b[1:i])]
	switch {
	case known && i < len(b) && b[i] == ';':
		return TokenOf(r, i+1)
	case known && (r == 0xA0 && i == 5 || r == 0xAD):
		return TokenOf(r, i)
	}
	if r, size := unfinished(b[1:i]); size > 0 {
		return TokenOf(r, 1+size)
	}
	return alone
}

// unfinished finds the two names that need no semicolon before other letters and digits. size is 0 if there is none.
func unfinished(name []byte) (r rune, size int) {
	switch {
	case len(name) > 4 && string(name[:4]) == "nbsp":
		return 0xA0, 4
	case len(name) > 3 && string(name[:3]) == "shy":
		return 0xAD, 3
	}
	return 0, 0
}

// maxReferenceBegin is how many bytes of a numeric reference stand before its first digit from 0 to 9: "#", "x" and at
// most four letters. Leading zeros are such digits.
const maxReferenceBegin = 6

// DigitBegin returns the index of the first byte of the character to which the digit b[i] belongs. It is i, or the
// beginning of a character reference.
func DigitBegin(b []byte, i int) int {
	for k := i - 1; k > 0 && k >= i-maxReferenceBegin; k-- {
		if b[k] == '#' && b[k-1] == '&' {
			if t := ReadReference(b[k-1:], true); k-1+int(t.Size) > i {
				return k - 1
			}
			break
		}
	}
	return i
}

// RowReference reads the character reference at the beginning of b. It returns its size in bytes, whether it is a
// digit, and whether a row of digits goes on with it. size is 0 if the reference may go on behind b, and 1 if there is
// none.
func RowReference(b []byte) (size int, digit, goesOn bool) {
	t := ReadReference(b, false)
	return int(t.Size), t.Kind == Figure, roleOf[t.Kind] != ends
}

// readNumeric reads a numeric reference. A reference without any of the digits 0 to 9 is not read as a digit of another
// script, since the search for rows begins at these digits.
func readNumeric(b []byte, last bool) Token {
	alone := Token{Kind: Other, Size: 1, Char: '&'}
	i, base, mode, x := 2, rune(10), decimalReference, byte(0)
	if i < len(b) && b[i]|0x20 == 'x' {
		i, base, mode, x = 3, 16, hexReference, b[i]
	}
	first, value, figured := i, rune(0), false
	for i < len(b) && i < MaxReference {
		d, upper := hexDigit(b[i])
		if d < 0 || d >= base {
			break
		}
		if upper {
			mode = upperHexReference
		}
		figured = figured || b[i] <= '9'
		if value <= 0x10FFFF {
			value = value*base + d
		}
		i++
	}
	if i == len(b) && i < MaxReference && !last {
		return Incomplete
	}
	if i == first || i == MaxReference {
		return alone
	}
	width, open := i-first, true
	if i < len(b) && b[i] == ';' {
		i, open = i+1, false
	}
	t := TokenOf(value, i)
	if t.Kind == Figure && !figured {
		return alone
	}
	t.Pen = Pen{script: t.Pen.script, mode: mode, width: uint8(width), x: x, open: open}
	return t
}

func hexDigit(c byte) (d rune, upper bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), false
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, false
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return -1, false
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func upperCase(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 0x20
	}
	return c
}
