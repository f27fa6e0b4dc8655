package char

import (
	"strings"
	"unicode"
)

// IsGlue says whether a character makes one word with digits beside it. Scripts without spaces between words do not.
func IsGlue(r rune) bool {
	switch {
	case r < 0x80:
		return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r == '_'
	case r >= FirstUnspaced:
		return false
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}

// FirstUnspaced is the first character of the scripts that are written without spaces between words.
const FirstUnspaced = 0x0E00

// CurrencySigns are signs of prices that are not in Unicode's category Sc.
const CurrencySigns = "%元円원"

func IsCurrency(r rune) bool {
	return strings.ContainsRune(CurrencySigns, r) || unicode.Is(unicode.Sc, r)
}
