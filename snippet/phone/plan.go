package phone

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nyaruka/phonenumbers"
)

// Number is a telephone number as its country's numbering plan sees it. It is
// immutable and may be shared; it takes some 2 KB.
type Number struct {
	digits   string // country and national
	country  string // country code
	national string // national significant number
	region   string // whose trunk prefix and formats apply
	forms    []form // all its writings, by their digits

	text   string // as it is written abroad, with a plus sign
	home   string // as its country writes it at home; empty where that is not known
	dialed string // the digits of home
}

// Digits are the number in international form: 442079460018.
func (n *Number) Digits() string { return n.digits }

// Text is the number as it is written abroad: +44 20 7946 0018.
func (n *Number) Text() string { return n.text }

// plans are those that have been asked for: a number is configured once, and
// checked and compiled several times.
var plans = struct {
	sync.Mutex
	byDigits map[string]*Number
}{byDigits: make(map[string]*Number)}

const maxPlans = 4096

// Parse reads a number, which is given as digits in international form: country code
// and national significant number, with no "+" and nothing between. What is of a
// possible length is taken, valid or not: plans grow faster than the tables that
// describe them. It takes up to some milliseconds.
//
// Short numbers (112, 0530) have no international form and are refused with
// [ErrNotNumber], other text with [ErrNotDigits].
func Parse(digits string) (*Number, error) {
	plans.Lock()
	n, known := plans.byDigits[digits]
	plans.Unlock()
	if known {
		return n, nil
	}
	n, err := read(digits)
	if err != nil {
		return nil, err
	}
	plans.Lock()
	defer plans.Unlock()
	if len(plans.byDigits) == maxPlans {
		clear(plans.byDigits)
	}
	plans.byDigits[digits] = n
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
		country:  strconv.Itoa(int(parsed.GetCountryCode())),
		national: phonenumbers.GetNationalSignificantNumber(parsed),
		region:   phonenumbers.GetRegionCodeForNumber(parsed),
	}
	// A prefix that parsing takes away would make two configured numbers of one.
	if n.country+n.national != digits || !phonenumbers.IsPossibleNumber(parsed) {
		return nil, ErrNotNumber
	}
	if n.region == "" || n.region == "ZZ" {
		n.region = phonenumbers.GetRegionCodeForCountryCode(int(parsed.GetCountryCode()))
	}
	n.forms = n.spell()
	n.format(parsed)
	return n, nil
}

// is tells whether text, dialled inside the number's own country, is the number.
func (n *Number) is(text string) bool {
	parsed, err := phonenumbers.Parse(text, n.region)
	return err == nil && strconv.Itoa(int(parsed.GetCountryCode())) == n.country &&
		phonenumbers.GetNationalSignificantNumber(parsed) == n.national
}

// maxTrunk is the longest trunk prefix that is looked for: 06 in Hungary is two
// digits, Brazil's 0 with a carrier's code three.
const maxTrunk = 3

// trunks lists what may be dialled before the national number at home, the usual
// prefix first. Countries without a trunk prefix have none.
func (n *Number) trunks() []string {
	meta := metadata()[n.region]
	if meta == nil {
		return nil
	}
	var trunks []string
	if usual := meta.GetNationalPrefix(); usual != "" && n.is(usual+n.national) {
		trunks = append(trunks, usual)
	}
	pattern := meta.GetNationalPrefixForParsing()
	if strings.Trim(pattern, "0123456789") == "" {
		return trunks // nothing but the usual one
	}
	prefix, err := regexp.Compile("^(?:" + pattern + ")")
	if err != nil {
		return trunks
	}
	for size, end := 1, 10; size <= maxTrunk; size, end = size+1, end*10 {
		for i := range end {
			trunk := strconv.Itoa(end + i)[1:]
			if slices.Contains(trunks, trunk) || !prefix.MatchString(trunk+n.national) {
				continue
			}
			if n.is(trunk + n.national) {
				trunks = append(trunks, trunk)
			}
		}
	}
	return trunks
}

// metadata gives the numbering plans by region.
var metadata = sync.OnceValue(func() map[string]*phonenumbers.PhoneMetadata {
	plans := make(map[string]*phonenumbers.PhoneMetadata)
	all, err := phonenumbers.MetadataCollection()
	if err != nil {
		return plans // built into the library: cannot fail but by its own fault
	}
	for _, m := range all.GetMetadata() {
		plans[m.GetId()] = m
	}
	return plans
})

// internationalPrefixes lists what is dialled in some country before a country
// code: 00, 011, 810 (written 8~10 or 8-10) and their like. Where a country's
// prefix depends on the carrier, its preferred one is meant.
var internationalPrefixes = sync.OnceValue(func() []string {
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
