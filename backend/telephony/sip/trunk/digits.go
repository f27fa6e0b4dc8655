package trunk

import "strings"

// minDigits and maxDigits bound a number. The longest has 15 digits (E.164), the shortest are those of a company's own
// exchange.
const minDigits, maxDigits = 3, 15

// fullDigits is from how many digits on a number is taken to have a country's code.
const fullDigits = 8

// separators are what RFC 3966 lets stand between the digits of a number.
var separators = strings.NewReplacer("-", "", ".", "", "(", "", ")", "", " ", "")

// Digits are the digits of a number with or without a plus sign, empty for what has other signs.
func Digits(text string) string {
	digits := strings.TrimPrefix(separators.Replace(text), "+")
	if strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return digits
}

// Bounded are the digits if they are as many as a number has.
func Bounded(digits string) string {
	if len(digits) < minDigits || len(digits) > maxDigits {
		return ""
	}
	return digits
}

// Dialled is the number as the trunk wants it.
func (s *Settings) Dialled(digits string) string {
	if len(digits) < fullDigits { // of the exchange itself
		return digits
	}
	return s.Prefix + digits
}
