package phone

import (
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// format notes how the number is written.
func (n *Number) format(parsed *phonenumbers.PhoneNumber) {
	n.text = "+" + plain(strings.TrimPrefix(phonenumbers.Format(parsed, phonenumbers.INTERNATIONAL), "+"))
	home := plain(phonenumbers.Format(parsed, phonenumbers.NATIONAL))
	// The library's format does not mean the number in every country.
	if digits := digitsOf(home); n.is(digits) {
		n.home, n.dialed = home, digits
	}
}

// Format writes a number, given as digits in international form, as it is written
// abroad: +44 20 7946 0018. What is no number comes back with a plus sign alone.
func Format(digits string) string {
	n, err := Parse(digits)
	if err != nil {
		return "+" + digits
	}
	return n.text
}

// rewriting is what replaces a writing whose digits do not fit: the replacement
// in its own country's convention, in the form that comes closest.
type rewriting struct {
	lead    string // an international prefix, before what follows
	text    string // where the old writing had separators
	compact string // where it had none, and in links
	abroad  bool   // of another country: a plus sign leads, whatever led before
}

// rewriting is how n is written in the place of another number in the given form.
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

// plain keeps to the few separators that every page can carry.
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
