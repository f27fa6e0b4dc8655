package plan

import (
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// format sets how the number is written abroad and at home.
func (n *Number) format(parsed *phonenumbers.PhoneNumber) {
	n.text = "+" + Plain(strings.TrimPrefix(phonenumbers.Format(parsed, phonenumbers.INTERNATIONAL), "+"))
	home := Plain(phonenumbers.Format(parsed, phonenumbers.NATIONAL))
	// In some countries, the library's format does not mean the number.
	if digits := DigitsOf(home); n.Is(digits) {
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

// FormatBy returns a number as [Number.By] writes it.
func FormatBy(digits, template string) (string, error) {
	n, err := Parse(digits)
	if err == nil {
		n, err = n.By(template)
	}
	if err != nil {
		return "", err
	}
	return n.Text(), nil
}

// Rewriting is the new text for a writing that the new digits do not fit. It follows the convention of the new number's
// country, in the form that is closest to the old one.
type Rewriting struct {
	Lead    string // an international prefix before text or compact
	Text    string // for a writing with separators
	Compact string // for a writing without separators, and for links
	Abroad  bool   // the number is of another country and needs a plus sign

	Templated bool // text is written by a template: with its plus sign, whatever the old writing was
}

// Rewriting returns how n is written in the place of the number of in the form old.
func (n *Number) Rewriting(old *Spelling, of *Number) Rewriting {
	international := Rewriting{Text: n.text[len("+"):], Compact: n.digits, Abroad: n.Country != of.Country}
	switch {
	case old.Kind == Dialled:
		return Rewriting{Lead: old.Prefix, Text: international.Text, Compact: n.digits}
	case international.Abroad, old.Kind == International, old.Kind == CountryTrunk:
		return international
	case n.home == "":
		international.Abroad = true
		return international
	case old.Kind == National:
		return Rewriting{Text: n.home, Compact: n.National}
	}
	return Rewriting{Text: n.home, Compact: n.dialed}
}

// Plain replaces all separators by spaces, except the few that every charset has.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9', strings.ContainsRune(" -()/.", r):
			return r
		default:
			return ' '
		}
	}, text)
}
