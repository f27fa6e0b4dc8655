package contact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Phone is a telephone number that a visitor has given.
type Phone struct {
	// Digits are the number in international form. They are empty if the number's country is not known, and for a
	// number that no country can have.
	Digits string
	// Extension is the digits that are dialled behind the number, mostly none.
	Extension string
}

// maxPhone is how many bytes a phone may have.
const maxPhone = 100

// phoneWalk is the walk that takes as long as the library takes to read a phone, in bytes.
const phoneWalk = 1 << 10

// maxDigits is how many digits a number in international form has at most (E.164, 6.1). The library's plans have more.
const maxDigits = 15

// extension matches an extension in Russian, which the library does not know.
var extension = regexp.MustCompile(`(?i)[\s,;(]+(?:доб(?:авочный)?|доп(?:олнительный)?|вн(?:утр(?:енний)?)?)[\s.:№]*(\d{1,7})(?:\D.*)?$`)

// ReadPhone reads a phone as a visitor wrote it. A number without a country code belongs to the region, an ISO 3166-1
// alpha-2 code. Without a region, ReadPhone returns the zero Phone: 8 495 in Russia and +84 95 in Vietnam have the same
// digits. Two zeros stand for a plus sign where the region reads them as nothing else.
func ReadPhone(text, region string) Phone {
	text = strings.TrimSpace(text)
	if len(text) > maxPhone {
		return Phone{}
	}
	steps.Walk(phoneWalk)
	phone := readPhone(text, region)
	if abroad, found := strings.CutPrefix(text, "00"); found && phone.Digits == "" {
		phone = readPhone("+"+abroad, region)
	}
	return phone
}

func readPhone(text, region string) Phone {
	number, err := phonenumbers.ParseAndKeepRawInput(extension.ReplaceAllString(text, ";ext=$1"), region)
	if err != nil || number.GetNationalNumber() == 0 { // the library formats zeros as they were written
		return Phone{}
	}
	// With a country code, a number of a possible length is enough, since numbering plans grow faster than the tables
	// that describe them.
	whole := number.GetCountryCodeSource() == phonenumbers.PhoneNumber_FROM_NUMBER_WITH_PLUS_SIGN &&
		phonenumbers.IsPossibleNumberWithReason(number) == phonenumbers.IS_POSSIBLE
	if !whole && !phonenumbers.IsValidNumber(number) {
		return Phone{}
	}
	// The library may read another number from its own writing of a number that no plan knows.
	digits := phonenumbers.Format(number, phonenumbers.E164)
	if same, err := phonenumbers.Parse(digits, ""); err != nil || phonenumbers.Format(same, phonenumbers.E164) != digits {
		return Phone{}
	}
	digits = strings.TrimPrefix(digits, "+")
	if len(digits) > maxDigits {
		return Phone{}
	}
	return Phone{digits, phonenumbers.NormalizeDigitsOnly(number.GetExtension())}
}

// RegionOf returns the region of a number in international form, or "".
func RegionOf(digits string) string {
	number, err := phonenumbers.Parse("+"+digits, "")
	if err != nil {
		return ""
	}
	region := phonenumbers.GetRegionCodeForNumber(number)
	if region == "" || region == phonenumbers.UNKNOWN_REGION {
		region = phonenumbers.GetRegionCodeForCountryCode(int(number.GetCountryCode()))
	}
	if len(region) != 2 || region == phonenumbers.UNKNOWN_REGION { // 001 stands for no country
		return ""
	}
	return region
}

// Writings returns the digits with which a number is written: with its country code, without it, and as it is dialled
// in its country. digits are in international form.
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
