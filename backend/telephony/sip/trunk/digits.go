package trunk

import "strings"

// minDigits and maxDigits bound a number. The longest has 15 digits (E.164). The shortest are those of a company's own
// exchange.
const minDigits, maxDigits = 3, 15

// fullDigits is the least number of digits of a number with a country code.
const fullDigits = 8

// separators are what RFC 3966 allows between the digits of a number.
var separators = strings.NewReplacer("-", "", ".", "", "(", "", ")", "", " ", "")

// Digits returns the digits of a number with or without a plus sign, or "" if there are other characters.
func Digits(text string) string {
	digits := strings.TrimPrefix(separators.Replace(text), "+")
	if strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return digits
}

// Bounded returns the digits, or "" if a number cannot have so many or so few.
func Bounded(digits string) string {
	if len(digits) < minDigits || len(digits) > maxDigits {
		return ""
	}
	return digits
}

// Dialled returns the number as the trunk expects it.
func (s *Settings) Dialled(digits string) string {
	if len(digits) < fullDigits { // of the exchange itself
		return digits
	}
	return s.Prefix + digits
}
