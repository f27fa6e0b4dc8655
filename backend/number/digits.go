package number

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"github.com/seed-3405227d/frontdesk/snippet"
)

// TrackingNumber reads a tracking number in any writing.
func TrackingNumber(written string) (digits string, err error) {
	digits = Digits(written)
	if err := snippet.CheckNumbers([]snippet.Number{{Digits: digits}}); err != nil {
		return "", err
	}
	if err := checkGroups(written, digits); err != nil {
		return "", fmt.Errorf("number %q: %w", written, err)
	}
	return digits, nil
}

// separators are what people write between the digits of a number.
var separators = strings.NewReplacer("+", "", " ", "", "\u00a0", "", "(", "", ")", "", "-", "", "\u2011", "", ".", "")

// Digits are those of a number in any writing. What has other signs is no number, and
// stays as it is written.
func Digits(written string) string {
	digits := separators.Replace(written)
	if strings.Trim(digits, "0123456789") != "" {
		return written
	}
	return digits
}

// checkGroups refuses a number that is written in groups of which the first is not
// the country code: 8 (495) 123-45-67 would be a number of Vietnam.
func checkGroups(written, digits string) error {
	groups := strings.FieldsFunc(written, func(r rune) bool { return r < '0' || r > '9' })
	code := strconv.Itoa(countryCode(digits))
	if len(groups) == 1 || groups[0] == code || written[0] == '+' && strings.HasPrefix(groups[0], code) {
		return nil
	}
	return fmt.Errorf("expected the country code as its first group, such as +7 (495) 123-45-67; its digits begin with the country code %s", code)
}

// countryCode is the country calling code of a number in international form.
func countryCode(digits string) int {
	parsed, err := phonenumbers.Parse("+"+digits, "")
	if err != nil {
		return 0
	}
	return int(parsed.GetCountryCode())
}
