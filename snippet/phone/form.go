package phone

// Form says which digits of a number are written.
type Form uint8

const (
	// International is country code and national number: +7 495 123-45-67, and
	// without the plus sign too.
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
	// Spoken is the number as it is dialled at home, where that is none of the
	// others: 011 15-2345-6789 for Argentina's +54 9 11 2345-6789.
	Spoken
)

// form is one sequence of digits that means a number.
type form struct {
	kind   Form
	prefix string // of Trunk, Dialled and CountryTrunk
	digits string
}

// maxDigits is the longest form: an international prefix of four digits and the
// fifteen of the longest number. It still fits 64 bits.
const maxDigits = 19

// minDigits is the shortest form that is looked for.
const minDigits = 4

// spell lists the digits that mean the number.
func (p plan) spell() []form {
	full := p.country + p.national
	all := []form{{International, "", full}}
	trunks := p.trunks()
	for _, t := range trunks {
		all = append(all, form{Trunk, t, t + p.national})
	}
	if p.is(p.national) {
		all = append(all, form{National, "", p.national})
	}
	for _, prefix := range internationalPrefixes() {
		all = append(all, form{Dialled, prefix, prefix + full})
	}
	for _, t := range trunks {
		if p.is("+" + p.country + t + p.national) {
			all = append(all, form{CountryTrunk, t, p.country + t + p.national})
		}
	}
	for _, home := range p.mobiles() {
		all = append(all, form{Spoken, "", home})
	}
	kept := all[:0]
	seen := make(map[string]bool, len(all))
	for _, f := range all {
		if len(f.digits) >= minDigits && len(f.digits) <= maxDigits && !seen[f.digits] {
			seen[f.digits] = true
			kept = append(kept, f)
		}
	}
	return kept
}

// counterpart finds the digits to pour into a writing of the given form: the
// same form of the replacement, when it has as many digits.
func (p plan) counterpart(old form, of plan) (digits string, ok bool) {
	if len(p.country) != len(of.country) || len(p.national) != len(of.national) {
		return "", false
	}
	switch old.kind {
	case International:
		return p.country + p.national, true
	case Dialled:
		return old.prefix + p.country + p.national, true
	}
	// The others are dialled inside one country.
	if p.country != of.country {
		return "", false
	}
	for _, f := range p.forms {
		if f.kind == old.kind && f.prefix == old.prefix && len(f.digits) == len(old.digits) {
			return f.digits, true
		}
	}
	return "", false
}

// mobiles lists how Argentina's mobile numbers are dialled at home: the 9 behind
// the country code is left out, and 15 stands behind the area code, which has two
// to four digits, with or without the trunk prefix before it.
func (p plan) mobiles() []string {
	meta := metadata()[p.region]
	if meta == nil || meta.GetNationalPrefixTransformRule() != "9$1" || p.national[0] != '9' {
		return nil
	}
	var all []string
	for area := 2; area <= 4; area++ {
		for _, trunk := range [...]string{meta.GetNationalPrefix(), ""} {
			home := trunk + p.national[1:1+area] + "15" + p.national[1+area:]
			if p.is(home) {
				all = append(all, home)
			}
		}
	}
	return all
}

func digitsOf(text string) string {
	var digits []byte
	for i := range len(text) {
		if '0' <= text[i] && text[i] <= '9' {
			digits = append(digits, text[i])
		}
	}
	return string(digits)
}
