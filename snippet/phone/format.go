package phone

import (
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// format sets how the number is written abroad and at home.
func (n *Number) format(parsed *phonenumbers.PhoneNumber) {
	n.text = "+" + plain(strings.TrimPrefix(phonenumbers.Format(parsed, phonenumbers.INTERNATIONAL), "+"))
	home := plain(phonenumbers.Format(parsed, phonenumbers.NATIONAL))
	// In some countries, the library's format does not mean the number.
	if digits := digitsOf(home); n.is(digits) {
		n.home, n.dialed = home, digits
	}
}

// Format returns a number as it is written abroad, +44 20 7946 0018, from its digits in international form. If the
// digits are no number, it returns them behind a plus sign.
func Format(digits string) string {
	n, err := Parse(digits)
	if err != nil {
		return "+" + digits
	}
	return n.text
}

// rewriting is the new text for a writing that the new digits do not fit. It follows the convention of the new number's
// country, in the form that is closest to the old one.
type rewriting struct {
	lead    string // an international prefix before text or compact
	text    string // for a writing with separators
	compact string // for a writing without separators, and for links
	abroad  bool   // the number is of another country and needs a plus sign
}

// rewriting returns how n is written in the place of the number of in the form old.
func (n *Number) rewriting(old *form, of *Number) rewriting {
	international := rewriting{text: n.text[len("+"):], compact: n.digits, abroad: n.country != of.country}
	switch {
	case old.kind == Dialled:
		return rewriting{lead: old.prefix, text: international.text, compact: n.digits}
	case international.abroad, old.kind == International, old.kind == CountryTrunk:
		return international
	case n.home == "":
		international.abroad = true
		return international
	case old.kind == National:
		return rewriting{text: n.home, compact: n.national}
	}
	return rewriting{text: n.home, compact: n.dialed}
}

// plain replaces all separators by spaces, except the few that every charset has.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9', strings.ContainsRune(" -()/.", r):
			return r
		default:
			return ' '
		}
	}, text)
}
