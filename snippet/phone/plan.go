package phone

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nyaruka/phonenumbers"
)

// plan is a number as its country's numbering plan sees it.
type plan struct {
	number   *phonenumbers.PhoneNumber
	country  string // country code
	national string // national significant number
	region   string // whose trunk prefix and formats apply
	forms    []form // all its writings, by their digits
}

// plans are those that have been asked for: a number is configured once, and
// compiled in many sets.
var plans = struct {
	sync.Mutex
	byDigits map[string]plan
}{byDigits: make(map[string]plan)}

const maxPlans = 4096

// parse reads digits in international form. What is of a possible length is
// taken, valid or not: plans grow faster than the tables that describe them.
func parse(digits string) (plan, error) {
	plans.Lock()
	p, known := plans.byDigits[digits]
	plans.Unlock()
	if known {
		return p, nil
	}
	p, err := read(digits)
	if err != nil {
		return plan{}, err
	}
	plans.Lock()
	defer plans.Unlock()
	if len(plans.byDigits) == maxPlans {
		clear(plans.byDigits)
	}
	plans.byDigits[digits] = p
	return p, nil
}

func read(digits string) (plan, error) {
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return plan{}, ErrNotDigits
		}
	}
	n, err := phonenumbers.Parse("+"+digits, "")
	if err != nil {
		return plan{}, ErrNotNumber
	}
	p := plan{
		number:   n,
		country:  strconv.Itoa(int(n.GetCountryCode())),
		national: phonenumbers.GetNationalSignificantNumber(n),
		region:   phonenumbers.GetRegionCodeForNumber(n),
	}
	// A prefix that parsing takes away would make two configured numbers of one.
	if p.country+p.national != digits || !phonenumbers.IsPossibleNumber(n) {
		return plan{}, ErrNotNumber
	}
	if p.region == "" || p.region == "ZZ" {
		p.region = phonenumbers.GetRegionCodeForCountryCode(int(n.GetCountryCode()))
	}
	p.forms = p.spell()
	return p, nil
}

// is tells whether text, dialled inside the number's own country, is the number.
func (p plan) is(text string) bool {
	n, err := phonenumbers.Parse(text, p.region)
	return err == nil && n.GetCountryCode() == p.number.GetCountryCode() &&
		phonenumbers.GetNationalSignificantNumber(n) == p.national
}

// maxTrunk is the longest trunk prefix that is looked for: 06 in Hungary is two
// digits, Brazil's 0 with a carrier's code three.
const maxTrunk = 3

// trunks lists what may be dialled before the national number at home, the usual
// prefix first. Countries without a trunk prefix have none.
func (p plan) trunks() []string {
	meta := metadata()[p.region]
	if meta == nil {
		return nil
	}
	var trunks []string
	if usual := meta.GetNationalPrefix(); usual != "" && p.is(usual+p.national) {
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
			if slices.Contains(trunks, trunk) || !prefix.MatchString(trunk+p.national) {
				continue
			}
			if p.is(trunk + p.national) {
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
