package visit

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// Phone is the telephone number that a visitor means.
type Phone struct {
	// Digits are the number in international form. They are empty where it is not
	// known which country's number is meant.
	Digits string
	// Extension is what is dialled behind it, in digits; mostly empty.
	Extension string
}

// maxPhone is the size in bytes of what may be a number.
const maxPhone = 100

// extension is one that Russian texts announce and the library does not know.
var extension = regexp.MustCompile(`(?i)[\s,;(]+(?:доб(?:авочный)?|доп(?:олнительный)?|вн(?:утр(?:енний)?)?)[\s.:№]*(\d{1,7})(?:\D.*)?$`)

// ReadPhone reads what a visitor has written. A number without its country's code
// is one of the region's, which is ISO 3166-1 alpha-2. Without a region it is
// nobody's: 8 495 in Russia and +84 95 in Vietnam are the same digits.
func ReadPhone(text, region string) Phone {
	text = strings.TrimSpace(text)
	if len(text) > maxPhone {
		return Phone{}
	}
	number, err := phonenumbers.ParseAndKeepRawInput(extension.ReplaceAllString(text, ";ext=$1"), region)
	if err != nil || number.GetNationalNumber() == 0 { // the library formats zeros as they were written
		return Phone{}
	}
	// With the country's code, plans grow faster than the tables that describe them.
	whole := number.GetCountryCodeSource() == phonenumbers.PhoneNumber_FROM_NUMBER_WITH_PLUS_SIGN &&
		phonenumbers.IsPossibleNumberWithReason(number) == phonenumbers.IS_POSSIBLE
	if !whole && !phonenumbers.IsValidNumber(number) {
		return Phone{}
	}
	// Of what no plan knows, the library may read another number each time.
	digits := phonenumbers.Format(number, phonenumbers.E164)
	if same, err := phonenumbers.Parse(digits, ""); err != nil || phonenumbers.Format(same, phonenumbers.E164) != digits {
		return Phone{}
	}
	return Phone{strings.TrimPrefix(digits, "+"), number.GetExtension()}
}

// RegionOf is the region of a number in international form, in digits, or empty.
func RegionOf(digits string) string {
	number, err := phonenumbers.Parse("+"+digits, "")
	if err != nil {
		return ""
	}
	region := phonenumbers.GetRegionCodeForNumber(number)
	if region == "" || region == phonenumbers.UNKNOWN_REGION {
		region = phonenumbers.GetRegionCodeForCountryCode(int(number.GetCountryCode()))
	}
	if len(region) != 2 || region == phonenumbers.UNKNOWN_REGION { // 001 is of no country
		return ""
	}
	return region
}

const (
	// ofNobody stands before the digits of a contact of which the country is not known,
	// so that they are no number's in international form.
	ofNobody = "?"
	// extended stands before the extension (RFC 3966, section 5.3).
	extended = ";ext="
)

// phoneValue is what makes two writings of a phone the same contact.
func phoneValue(text, region string) string {
	phone := ReadPhone(text, region)
	switch {
	case phone.Digits == "":
		return ofNobody + cmp.Or(Digits(text), text)
	case phone.Extension != "":
		return phone.Digits + extended + phone.Extension
	}
	return phone.Digits
}

// Phone is the number of a phone.
func (c Contact) Phone() Phone {
	if strings.HasPrefix(c.Value, ofNobody) {
		return Phone{}
	}
	digits, extension, _ := strings.Cut(c.Value, extended)
	return Phone{digits, extension}
}

// Writings are the digits by which the number, in digits in international form, is written: with the country's
// code, without it, and with what is dialled in its place within the country.
func Writings(digits string) []string {
	writings := []string{digits}
	number, err := phonenumbers.Parse("+"+digits, "")
	if err != nil {
		return writings
	}
	for _, writing := range []string{phonenumbers.GetNationalSignificantNumber(number), Digits(phonenumbers.Format(number, phonenumbers.NATIONAL))} {
		if !slices.Contains(writings, writing) {
			writings = append(writings, writing)
		}
	}
	return writings
}
