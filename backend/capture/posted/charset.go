package posted

import (
	"math"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// latin is the character set in which browsers read pages without a label (Encoding Standard).
const latin = "windows-1252"

// maxRead limits the bytes of a form that decide its character set.
const maxRead = 4 << 10

// letters are the frequencies of letters in Russian and Ukrainian texts, in parts of a thousand, rounded, from common
// tables.
var letters = map[rune]float64{
	'о': 110, 'е': 85, 'а': 80, 'и': 74, 'н': 67, 'т': 63, 'с': 55, 'р': 47, 'в': 45, 'л': 44, 'к': 35, 'м': 32, 'д': 30, 'п': 28, 'у': 26,
	'я': 20, 'ы': 19, 'ь': 17, 'г': 17, 'з': 16, 'б': 16, 'ч': 14, 'й': 12, 'х': 10, 'ж': 9, 'ш': 7, 'ю': 6, 'ц': 5, 'щ': 4, 'э': 3, 'ф': 3,
	'ъ': 1, 'ё': 1, 'і': 55, 'ї': 6, 'є': 5, 'ґ': 1,
}

// readsAs returns the character set in which the form reads as words: windows-1251, KOI8, or windows-1252 if words mix
// ASCII letters with others. It counts single letters, because names are too short for pairs of letters.
func (f *Form) readsAs() encoding.Encoding {
	var text []byte
	for _, field := range f.Fields {
		for _, s := range [...]string{field.Name, field.Value} {
			if room := maxRead - len(text); room > 0 && !utf8.ValidString(s) {
				text = append(append(text, s[:min(len(s), room)]...), ' ')
			}
		}
	}
	steps.Walk(2 * len(text))
	if !isCyrillic(text) {
		return charmap.Windows1252
	}
	if likely(charmap.KOI8U, text) > likely(charmap.Windows1251, text) {
		return charmap.KOI8U // which has all letters of KOI8-R
	}
	return charmap.Windows1251
}

// isCyrillic reports whether most of the words beyond ASCII have no ASCII letter.
func isCyrillic(text []byte) bool {
	own, mixed := 0, 0 // words
	ascii, other := false, 0
	for _, c := range append(text, ' ') {
		switch {
		case isLatinLetter(c):
			ascii = true
		case c >= utf8.RuneSelf:
			other++
		default:
			if other > 0 && ascii {
				mixed++
			} else if other > 1 {
				own++
			}
			ascii, other = false, 0
		}
	}
	return own > mixed
}

func isLatinLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// likely returns how likely the text is in the character set. It uses the frequencies of its letters, and the rule that
// a capital begins a word or that all its letters are capitals.
func likely(set *charmap.Charmap, text []byte) (sum float64) {
	before := ' '
	for _, c := range text {
		r := set.DecodeByte(c)
		if c >= utf8.RuneSelf {
			often := letters[unicode.ToLower(r)]
			sum += math.Log(max(often, 0.1))
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				sum -= 5
			}
		}
		before = r
	}
	return sum
}
