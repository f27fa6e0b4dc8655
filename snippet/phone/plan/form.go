package plan

import "strings"

// Form says which digits of a number a writing has.
type Form uint8

const (
	// International is country code and national number, with or without a plus sign: +7 495 123-45-67.
	International Form = iota
	// Trunk is a trunk prefix and the national number: 8 495 123-45-67, 020 7946 0018.
	Trunk
	// National is the national number alone: 495 123-45-67.
	National
	// Dialled is an international prefix before country code and national
	// number: 00 7 495 123-45-67, 011 44 20 7946 0018.
	Dialled
	// CountryTrunk has both country code and trunk prefix: +44 (0)20 7946 0018.
	CountryTrunk
	// Spoken is any other way to dial the number at home: 011 15-2345-6789 for Argentina's +54 9 11 2345-6789.
	Spoken
)

// Spelling is a sequence of digits that means a number.
type Spelling struct {
	Kind   Form
	Prefix string // if kind is Trunk, Dialled or CountryTrunk; CountryTrunk has it behind the country code
	Digits string
}

// MaxDigits is how many digits the longest form has: an international prefix of four and the fifteen of the longest
// number. They fit into 64 bits.
const MaxDigits = 19

// minDigits is how many digits the shortest form has that is searched.
const minDigits = 4

// spell returns all forms of the number.
func (n *Number) spell() []Spelling {
	all := []Spelling{{International, "", n.digits}}
	trunks := n.Trunks()
	for _, t := range trunks {
		all = append(all, Spelling{Trunk, t, t + n.National})
	}
	if n.Is(n.National) {
		all = append(all, Spelling{National, "", n.National})
	}
	for _, prefix := range InternationalPrefixes() {
		all = append(all, Spelling{Dialled, prefix, prefix + n.digits})
	}
	for _, t := range trunks {
		if n.Is("+" + n.Country + t + n.National) {
			all = append(all, Spelling{CountryTrunk, t, n.Country + t + n.National})
		}
	}
	for _, home := range n.mobiles() {
		all = append(all, Spelling{Spoken, "", home})
	}
	kept := all[:0]
	seen := make(map[string]bool, len(all))
	for _, f := range all {
		if len(f.Digits) >= minDigits && len(f.Digits) <= MaxDigits && !seen[f.Digits] {
			seen[f.Digits] = true
			kept = append(kept, f)
		}
	}
	return kept
}

// Spells returns the form in which a writing means the number. ok is false if its digits do not mean the number.
func (n *Number) Spells(writing string) (form Form, ok bool) {
	digits := DigitsOf(writing)
	for i := range n.Forms {
		if n.Forms[i].Digits == digits {
			return n.Forms[i].Kind, true
		}
	}
	return 0, false
}

// Counterpart returns the digits to pour into a writing of the number of in the form old: lead, and digits behind it.
// They are the same form of n. ok is false if n has no such form with as many digits.
func (n *Number) Counterpart(old *Spelling, of *Number) (lead, digits string, ok bool) {
	if len(n.Country) != len(of.Country) || len(n.National) != len(of.National) {
		return "", "", false
	}
	switch old.Kind {
	case International:
		return "", n.digits, true
	case Dialled:
		return old.Prefix, n.digits, true
	}
	// The other forms are dialled inside one country.
	if n.Country != of.Country {
		return "", "", false
	}
	for i := range n.Forms {
		if f := &n.Forms[i]; f.Kind == old.Kind && f.Prefix == old.Prefix && len(f.Digits) == len(old.Digits) {
			return "", f.Digits, true
		}
	}
	return "", "", false
}

// Start returns the index of the first digit of the national number in a form of n. ok is false for a spoken form.
func (n *Number) Start(f *Spelling) (index int, ok bool) {
	return len(f.Digits) - len(n.National), f.Kind != Spoken
}

// Regroups says whether the digits of n must not be poured into a writing of the number of whose area code, as it is
// written, has so many digits: "8 (3812) 12-34-56" would become "8 (8007) 65-43-21". bracketed says that the code is in
// parentheses. Without them, a first group of another length than the plan has may be no area code at all.
func (n *Number) Regroups(of *Number, written int, bracketed bool) bool {
	area := n.Area(of)
	return area != 0 && written != max(area, -area) && (bracketed || area > 0) && !strings.HasPrefix(n.National, of.National[:written])
}

// Area returns how many digits the area code of n has, for a writing of the number of. It is negative if the plan
// groups both numbers alike, so that only a code in parentheses counts, and 0 if the digits are always poured: both
// numbers have the same code, or the plan knows none.
func (n *Number) Area(of *Number) int {
	switch {
	case n.area != of.area || n.geographic != of.geographic || n.Country != of.Country:
		return n.area
	case strings.HasPrefix(n.National, of.National[:of.area]):
		return 0
	}
	return -n.area
}

// mobiles returns how Argentina's mobile numbers are dialled at home. They lack the 9 behind the country code, and have
// a 15 behind the area code of two to four digits. The trunk prefix may stand before them.
func (n *Number) mobiles() []string {
	meta := metadata()[n.region]
	if meta == nil || meta.GetNationalPrefixTransformRule() != "9$1" || n.National[0] != '9' {
		return nil
	}
	var all []string
	for area := 2; area <= 4; area++ {
		for _, trunk := range [...]string{meta.GetNationalPrefix(), ""} {
			home := trunk + n.National[1:1+area] + "15" + n.National[1+area:]
			if n.Is(home) {
				all = append(all, home)
			}
		}
	}
	return all
}

func DigitsOf(text string) string {
	var digits []byte
	for i := range len(text) {
		if '0' <= text[i] && text[i] <= '9' {
			digits = append(digits, text[i])
		}
	}
	return string(digits)
}
