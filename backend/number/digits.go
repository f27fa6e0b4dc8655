package number

import (
	"strconv"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// TrackingNumber reads a tracking number in any writing. The error is a [Mistake].
func TrackingNumber(written string) (digits string, err error) {
	digits = Digits(written)
	if err := snippet.CheckDigits(digits); err != nil {
		return "", wrong("not_number", []string{written}, "%v", err)
	}
	return digits, checkGroups(written, digits)
}

// Beside reads a tracking number as somebody writes it for a printed number, whose digits are in international form:
// beside a number of Moscow, 84957654399 is +7 495 765-43-99, and not of Vietnam. A number of another country needs a
// plus sign only if its digits are also a number of the printed one's country. printed may be empty. The error is a
// [Mistake].
func Beside(printed, written string) (digits string, err error) {
	digits = Digits(written)
	if printed == "" || strings.HasPrefix(written, "+") || countryCode(digits) == countryCode(printed) && snippet.CheckDigits(digits) == nil {
		return TrackingNumber(written)
	}
	if read, is := national(digits, contact.RegionOf(printed)); is && countryCode(read) == countryCode(printed) {
		return read, nil
	}
	return TrackingNumber(written)
}

// national reads digits as they are dialled in a region, and returns them in international form. is is false if they are
// no valid number there.
func national(digits, region string) (read string, is bool) {
	parsed, err := phonenumbers.Parse(digits, region)
	if err != nil || !phonenumbers.IsValidNumber(parsed) {
		return "", false
	}
	return strings.TrimPrefix(phonenumbers.Format(parsed, phonenumbers.E164), "+"), true
}

// separators removes the characters that people write between the digits of a number.
var separators = strings.NewReplacer("+", "", " ", "", "\u00a0", "", "(", "", ")", "", "-", "", "\u2011", "", ".", "")

// Digits returns the digits of a number in any writing. It returns text with other characters as it is.
func Digits(written string) string {
	digits := separators.Replace(written)
	if strings.Trim(digits, "0123456789") != "" {
		return written
	}
	return digits
}

// checkGroups returns an error for a number in groups whose first group is not the country code: 8 (495) 123-45-67
// would be a number of Vietnam.
func checkGroups(written, digits string) error {
	groups := strings.FieldsFunc(written, func(r rune) bool { return r < '0' || r > '9' })
	code := strconv.Itoa(countryCode(digits))
	if len(groups) == 1 || groups[0] == code || written[0] == '+' && strings.HasPrefix(groups[0], code) {
		return nil
	}
	return About("country_code", "number %q: expected the country code as its first group, such as +7 (495) 123-45-67; its digits begin with the country code %s", written, code)
}

// countryCode returns the country calling code of a number in international form, or 0.
func countryCode(digits string) int {
	parsed, err := phonenumbers.Parse("+"+digits, "")
	if err != nil {
		return 0
	}
	return int(parsed.GetCountryCode())
}
