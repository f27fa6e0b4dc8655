package phone

import (
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// nationalText is the number as its country writes it at home; ok is false where
// the library's format for it does not mean the number.
func (p plan) nationalText() (text string, ok bool) {
	text = plain(phonenumbers.Format(p.number, phonenumbers.NATIONAL))
	return text, p.is(digitsOf(text))
}

// internationalText is the number as it is written abroad, without the plus sign.
func (p plan) internationalText() string {
	return plain(strings.TrimPrefix(phonenumbers.Format(p.number, phonenumbers.INTERNATIONAL), "+"))
}

// Format writes a number, given as digits in international form, as it is written
// abroad: +44 20 7946 0018. What is no number comes back with a plus sign alone.
func Format(digits string) string {
	p, err := parse(digits)
	if err != nil {
		return "+" + digits
	}
	return "+" + p.internationalText()
}

// rewriting is what replaces a writing whose digits do not fit: the replacement
// in its own country's convention, in the form that comes closest.
type rewriting struct {
	text    string // where the old writing had separators
	compact string // where it had none, and in links
	abroad  bool   // of another country: a plus sign leads, whatever led before
}

func (p plan) rewriting(old form, of plan) rewriting {
	full := p.country + p.national
	international := rewriting{p.internationalText(), full, p.country != of.country}
	switch {
	case old.kind == Dialled:
		return rewriting{old.prefix + " " + international.text, old.prefix + full, false}
	case international.abroad, old.kind == International, old.kind == CountryTrunk:
		return international
	}
	text, ok := p.nationalText()
	switch {
	case !ok:
		international.abroad = true
		return international
	case old.kind == National:
		return rewriting{text, p.national, false}
	}
	return rewriting{text, digitsOf(text), false}
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
