// Package plan knows telephone numbers by their countries' numbering plans: in which forms each is dialled, and how each is
// written abroad and at home. The sets of numbers that are searched are made of it.
package plan

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/nyaruka/phonenumbers"
)

// Number is a telephone number by its country's numbering plan. It is immutable and may be shared. It takes about 2 KB.
type Number struct {
	digits   string     // country code and national number
	Country  string     // country code
	National string     // national significant number
	region   string     // the region whose trunk prefix and formats apply
	Forms    []Spelling // all forms, by their digits

	area       int  // how many digits the area code has, or what stands in its place; 0 if that is not known
	geographic bool // it is of a place, or may be: no free, mobile or premium number

	text   string // as it is written abroad, with a plus sign
	home   string // as it is written in its country; empty if that is not known
	dialed string // the digits of home

	templated string // as people are to read it; empty unless By has made the number
}

// Digits returns the number in international form: 442079460018.
func (n *Number) Digits() string { return n.digits }

// Text returns the number as it is written abroad, +44 20 7946 0018, or by its template.
func (n *Number) Text() string { return cmp.Or(n.templated, n.text) }

// plans are the numbers that Parse has read. A number is configured once, but checked and compiled several times.
var plans, _ = lru.New[string, *Number](maxPlans) // the size is positive

const maxPlans = 4096

// Errors of [Parse].
var (
	ErrNotDigits = errors.New("expected digits in international form, such as 74951234567")
	ErrNotNumber = errors.New("not a complete international number: expected a country code and a national number; short numbers look like other figures")
)

// Parse reads a number from its digits in international form: country code and national number, without "+" and
// separators. It takes numbers of a possible length, valid or not, since numbering plans grow faster than the tables
// that describe them. It may take some milliseconds.
//
// The error is [ErrNotNumber] for short numbers such as 112, which have no international form, and [ErrNotDigits] for
// other text.
func Parse(digits string) (*Number, error) {
	if n, known := plans.Get(digits); known {
		return n, nil
	}
	n, err := read(digits)
	if err != nil {
		return nil, err
	}
	plans.Add(digits, n)
	return n, nil
}

func read(digits string) (*Number, error) {
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return nil, ErrNotDigits
		}
	}
	parsed, err := phonenumbers.Parse("+"+digits, "")
	if err != nil {
		return nil, ErrNotNumber
	}
	n := &Number{
		digits:   digits,
		Country:  strconv.Itoa(int(parsed.GetCountryCode())),
		National: phonenumbers.GetNationalSignificantNumber(parsed),
		region:   phonenumbers.GetRegionCodeForNumber(parsed),
	}
	// Parsing may remove a prefix. Two configured numbers would become one.
	if n.Country+n.National != digits || !phonenumbers.IsPossibleNumber(parsed) {
		return nil, ErrNotNumber
	}
	if n.region == "" || n.region == "ZZ" {
		n.region = phonenumbers.GetRegionCodeForCountryCode(int(parsed.GetCountryCode()))
	}
	n.area = phonenumbers.GetLengthOfNationalDestinationCode(parsed)
	kind := phonenumbers.GetNumberType(parsed)
	n.geographic = kind == phonenumbers.FIXED_LINE || kind == phonenumbers.FIXED_LINE_OR_MOBILE || kind == phonenumbers.UNKNOWN
	n.Forms = n.spell()
	n.format(parsed)
	return n, nil
}

// Is says whether text means the number when it is dialled in the number's own country.
func (n *Number) Is(text string) bool {
	parsed, err := phonenumbers.Parse(text, n.region)
	return err == nil && strconv.Itoa(int(parsed.GetCountryCode())) == n.Country &&
		phonenumbers.GetNationalSignificantNumber(parsed) == n.National
}

// maxTrunk is how many digits a trunk prefix may have. Hungary's 06 has two, and Brazil's 0 with a carrier's code has
// three.
const maxTrunk = 3

// Trunks returns the trunk prefixes of the number, the usual one first. Some countries have none.
func (n *Number) Trunks() []string {
	meta := metadata()[n.region]
	if meta == nil {
		return nil
	}
	var trunks []string
	if usual := meta.GetNationalPrefix(); usual != "" && n.Is(usual+n.National) {
		trunks = append(trunks, usual)
	}
	pattern := meta.GetNationalPrefixForParsing()
	if strings.Trim(pattern, "0123456789") == "" {
		return trunks // only the usual prefix
	}
	prefix, err := regexp.Compile("^(?:" + pattern + ")")
	if err != nil {
		return trunks
	}
	for size, end := 1, 10; size <= maxTrunk; size, end = size+1, end*10 {
		for i := range end {
			trunk := strconv.Itoa(end + i)[1:]
			if slices.Contains(trunks, trunk) || !prefix.MatchString(trunk+n.National) {
				continue
			}
			if n.Is(trunk + n.National) {
				trunks = append(trunks, trunk)
			}
		}
	}
	return trunks
}

// metadata returns the numbering plans by region.
var metadata = sync.OnceValue(func() map[string]*phonenumbers.PhoneMetadata {
	plans := make(map[string]*phonenumbers.PhoneMetadata)
	all, err := phonenumbers.MetadataCollection()
	if err != nil {
		return plans // only a fault of the library, which has the plans built in
	}
	for _, m := range all.GetMetadata() {
		plans[m.GetId()] = m
	}
	return plans
})

// InternationalPrefixes returns the prefixes that some country dials before a country code: 00, 011, 810 (written 8~10
// or 8-10) and others. If a prefix depends on the carrier, it is the preferred one.
var InternationalPrefixes = sync.OnceValue(func() []string {
	var prefixes []string
	for _, m := range metadata() {
		prefix := m.GetPreferredInternationalPrefix()
		if prefix == "" {
			prefix = m.GetInternationalPrefix()
		}
		prefix = strings.ReplaceAll(prefix, "~", "")
		if 2 <= len(prefix) && len(prefix) <= 4 && strings.Trim(prefix, "0123456789") == "" {
			prefixes = append(prefixes, prefix)
		}
	}
	slices.Sort(prefixes)
	return slices.Compact(prefixes)
})
