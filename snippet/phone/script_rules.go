package phone

import (
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/forms"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// ScriptRules are the tables that tell numbers from other text. They are written into the sources of the browser's
// script, so that it reads in the same way.
type ScriptRules struct {
	// Forms are the names of the forms. Their indexes are the values of [Form].
	Forms []string
	// Zeros are the zeros of the scripts whose digits are read.
	Zeros []rune
	// Gaps are the parts of a gap between two digits.
	Gaps []ScriptGap
	// Leading are the characters that may stand before the first digit of a writing.
	Leading []rune
	// OtherNames stand before a figure that is no telephone number, Currencies behind a price, and Extensions before a
	// further number. All are in lower case and separated by spaces.
	OtherNames, Currencies, Extensions string
	// CurrencySigns are signs of prices that are not in Unicode's category Sc.
	CurrencySigns string
	// FirstUnspaced is the first character of the scripts that are written without spaces between words.
	FirstUnspaced rune
	// Limits are the numbers in the rules.
	Limits []ScriptLimit
}

// ScriptGap is a part of a gap: one bit, or several.
type ScriptGap struct {
	Name  string
	Bits  uint16
	About string // may be empty
	// Characters are the characters of the part up to U+FFFF.
	Characters []rune
}

// ScriptLimit is a number in the rules.
type ScriptLimit struct {
	Name  string
	Value int
	About string
}

// RulesOfScript returns the tables.
func RulesOfScript() ScriptRules {
	r := ScriptRules{
		Forms:      []string{plan.International: "International", plan.Trunk: "Trunk", plan.National: "National", plan.Dialled: "Dialled", plan.CountryTrunk: "CountryTrunk", plan.Spoken: "Spoken"},
		Zeros:      char.Zeros[:],
		OtherNames: otherNameWords, Currencies: currencyWords, Extensions: extensionWords,
		CurrencySigns: char.CurrencySigns, FirstUnspaced: char.FirstUnspaced,
		Limits: []ScriptLimit{
			{"maxDigits", plan.MaxDigits, "Digits of the longest form."},
			{"minLoneNational", forms.MinLoneNational, "Digits that a national number without any prefix must have to be recognised in text."},
			{"longGroup", longGroup, "Digits that touch a comma and are a figure of their own, no fraction."},
			{"wholeNumber", wholeNumber, "Digits that make a telephone number of their own beside another."},
			{"maxEnding", maxEnding, "Digits that another ending of a number without separators may have."},
			{"maxGap", char.MaxGap, "Separators between two digits, in characters."},
			{"maxSigns", maxSigns, "Separators between two digits, where spaces in a row are one."},
			{"maxWord", maxWord, "One letter more than the longest of the words."},
		},
	}
	classes := make(map[gap][]rune)
	for c := range rune(1 << 16) {
		k, _, _ := char.Classify(c)
		if int(k) < len(gapOf) && gapOf[k] != 0 {
			classes[gapOf[k]] = append(classes[gapOf[k]], c)
		}
		if k == char.Plus || k == char.Opening {
			r.Leading = append(r.Leading, c)
		}
	}
	for _, g := range []struct {
		name  string
		gap   gap
		about string
	}{
		{"Space", spaceGap, ""}, {"Dash", dashGap, ""}, {"Dot", dotGap, ""}, {"Slash", slashGap, ""},
		{"Open", openGap, ""}, {"Close", closeGap, ""}, {"Plus", plusGap, ""}, {"Comma", commaGap, ""}, {"Colon", colonGap, ""},
		{"Wide", wideGap, "More separators than a writing has between two digits."},
		{"Tag", tagGap, "Markup, not counted."},
		{"Hidden", hiddenGap, "Not seen on the page: soft hyphen, joiners, marks of direction."},
		{"Strokes", strokes, ""}, {"Brackets", brackets, ""}, {"Outside", outside, "Never inside a writing."}, {"Seen", seen, ""},
	} {
		r.Gaps = append(r.Gaps, ScriptGap{g.name, uint16(g.gap), g.about, classes[g.gap]})
	}
	return r
}

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
