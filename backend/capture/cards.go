package capture

import (
	"strings"
	"unicode/utf8"
)

// minCard and maxCard are how many digits the number of a payment card has (ISO/IEC 7812).
const minCard, maxCard = 13, 19

// hideCards writes stars over the numbers of payment cards, but for the last four digits. It takes time in proportion
// to the text.
func hideCards(text string) string {
	var hidden strings.Builder
	done := 0 // how much of the text is in hidden
	for at := 0; at < len(text); {
		if !isDigit(text[at]) {
			at++
			continue
		}
		digits, end := digitsRow(text, at)
		if isCard(digits) {
			hidden.WriteString(text[done:at])
			hidden.WriteString("**** ")
			hidden.WriteString(digits[len(digits)-4:])
			done = end
		}
		at = end
	}
	if done == 0 {
		return text
	}
	hidden.WriteString(text[done:])
	return hidden.String()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// digitsRow is the row of digits that begins at the place, up to maxCard of them, and where it ends. A space, a dash or
// a no-break space may stand between two digits.
func digitsRow(text string, at int) (digits string, end int) {
	var row [maxCard]byte
	n := 0
	for n < maxCard && at < len(text) && isDigit(text[at]) {
		row[n] = text[at]
		n++
		at++
		end = at
		if r, size := utf8.DecodeRuneInString(text[at:]); r == ' ' || r == '-' || r == '\u00a0' {
			at += size
		}
	}
	return string(row[:n]), end
}

// isCard tells whether the digits may be a card's: those of payment begin with 2 to 6, and the last one is
// the check by Luhn's formula.
func isCard(digits string) bool {
	if len(digits) < minCard || len(digits) > maxCard || digits[0] < '2' || digits[0] > '6' {
		return false
	}
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
