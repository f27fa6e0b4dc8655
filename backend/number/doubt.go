package number

import (
	"fmt"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// Doubt says what is valid in a declaration, but hardly meant. Others than those who write configurations can translate
// it by its kind.
type Doubt struct {
	Kind string
	// Of are the values in the text: digits in international form, and country codes. Each kind has the same values.
	Of   []string
	text string
}

func (d Doubt) String() string { return d.text }

// Doubts returns what is hardly meant, at most one doubt for each printed number. region (ISO 3166-1 alpha-2) is the
// country of numbers without a country code; it may be empty.
func (d *Declaration) Doubts(region string) (doubts []Doubt) {
	for _, n := range d.list {
		doubt, is := doubtOfPrinted(n.Number, region)
		for _, tracking := range d.TrackingOf(n) {
			if is {
				break
			}
			doubt, is = doubtBeside(tracking, n.Number)
		}
		if is {
			doubts = append(doubts, doubt)
		}
	}
	return doubts
}

// doubtBeside doubts a tracking number that is of another country than its printed number.
func doubtBeside(tracking, printed string) (Doubt, bool) {
	there, here := strconv.Itoa(countryCode(tracking)), strconv.Itoa(countryCode(printed))
	if here == there {
		return Doubt{}, false
	}
	doubt := Doubt{"other_country", []string{tracking, there, printed, here},
		fmt.Sprintf("tracking number %s has the country code %s, but its printed number, %s, has %s", tracking, there, printed, here)}
	if meant, could := national(tracking, contact.RegionOf(printed)); could {
		doubt = Doubt{"other_country_meant", append(doubt.Of, meant), doubt.text + ": write " + meant + " if that is meant"}
	}
	return doubt, true
}

// trunkCountry is the country whose trunk prefix, 8, also begins country codes: 8 495 123-45-67 of Moscow has the
// digits of a number of Vietnam.
const trunkCountry = "RU"

// doubtOfPrinted doubts a printed number whose first digit may be a trunk prefix, unless the region says that it is
// none.
func doubtOfPrinted(printed, region string) (Doubt, bool) {
	if printed[0] != '8' || region != "" && contact.RegionOf(printed) == region {
		return Doubt{}, false
	}
	meant, could := national(printed, trunkCountry)
	if !could {
		return Doubt{}, false
	}
	code := strconv.Itoa(countryCode(printed))
	return Doubt{"printed_meant", []string{printed, code, meant}, fmt.Sprintf(
		"number %s has the country code %s: write %s if that is meant, or else set the region of the site", printed, code, meant)}, true
}
