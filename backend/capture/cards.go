package capture

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// minCard and maxCard bound the digits of a payment card's number (ISO/IEC 7812, the issuers' tables). A telephone
// number has at most maxPhone digits (E.164, section 6.1).
const minCard, maxPhone, maxCard = 14, 15, 19

// hideCards replaces the numbers of payment cards by stars, except for the last four digits. isPhone reports whether
// digits are a telephone number although they look like a card. It is only called for digits that are short enough.
// Everything else takes time in proportion to the text.
func hideCards(text string, isPhone func(digits string) bool) string {
	steps.Walk(len(text))
	var hidden strings.Builder
	done := 0 // how much of the text is in hidden
	for at := 0; at < len(text); {
		if !isDigit(text[at]) {
			at++
			continue
		}
		digits, end := cardAt(text, at)
		if at > 0 && text[at-1] == '+' {
			digits = "" // of a country that is named
		}
		if digits != "" && (len(digits) > maxPhone || !isPhone(digits)) {
			hidden.WriteString(text[done:at])
			hidden.WriteString("**** ")
			hidden.WriteString(digits[len(digits)-4:])
			done, at = end, end
			continue
		}
		for at < len(text) && isDigit(text[at]) {
			at++
		}
	}
	if done == 0 {
		return text
	}
	hidden.WriteString(text[done:])
	return hidden.String()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// cardAt returns the card's number that begins at the place, and where it ends. A row of digits begins at the place.
// The number is one row, or rows with a space, a dash or a no-break space between, as it is printed: the first has four
// or six digits, the others have four or more, except the last. The shortest number counts, because the digits after a
// card may be the month of its expiry.
func cardAt(text string, at int) (card string, end int) {
	var digits [maxCard]byte
	n, row := 0, 0 // how many digits there are, and in this row
	for at < len(text) && isDigit(text[at]) && n < maxCard {
		digits[n] = text[at]
		n++
		row++
		if at++; at < len(text) && isDigit(text[at]) {
			continue
		}
		if isCard(digits[:n]) {
			return string(digits[:n]), at
		}
		if row < 4 || row == n && row != 4 && row != 6 {
			break
		}
		if r, size := utf8.DecodeRuneInString(text[at:]); r == ' ' || r == '-' || r == '\u00a0' {
			at += size
		}
		row = 0
	}
	return "", at
}

// isCard reports whether the digits may be a card's number: the beginning and the length are those of payment cards,
// and the last digit is the check digit of Luhn's formula.
func isCard(digits []byte) bool { return isIssued(string(digits)) && checks(digits) }

// issuers are the beginnings and lengths of card numbers that are as short as telephone numbers: American Express,
// Diners Club. Numbers of 16 digits that begin with 8 or 9 are cards too: Uzcard, Belkart, Troy, Humo.
var issuers = []struct {
	begin  string
	digits int
}{
	{"34", 15}, {"37", 15},
	{"300", 14}, {"301", 14}, {"302", 14}, {"303", 14}, {"304", 14}, {"305", 14}, {"3095", 14}, {"36", 14}, {"38", 14}, {"39", 14},
	{"8600", 16}, {"9112", 16}, {"9792", 16}, {"9860", 16},
}

func isIssued(digits string) bool {
	if len(digits) < minCard || len(digits) > maxCard {
		return false
	}
	for _, issuer := range issuers {
		if len(digits) == issuer.digits && strings.HasPrefix(digits, issuer.begin) {
			return true
		}
	}
	return len(digits) > maxPhone && '2' <= digits[0] && digits[0] <= '6'
}

// checks reports whether the last digit is the check digit of Luhn's formula.
func checks(digits []byte) bool {
	sum := 0
	for i := range digits {
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
