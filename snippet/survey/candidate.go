package survey

import (
	"regexp"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// Bounds on what is tried. Reading a number by the plans takes some microseconds and KB.
const (
	leastReadings = 400    // of a page
	maxReadings   = 10_000 // of a page
	readingEach   = 8      // bytes of a page add a reading
	maxDigits     = 19     // in a number with its prefixes
	minDigits     = 7      // in a number in text
	longRow       = 40     // bytes of a row of digits that is rather a table's than a number's
)

// row matches digits with what may be between the digits of a number. It allows more than a number does: the matcher
// decides.
var row = regexp.MustCompile(`[+\x{FF0B}\x{FE62}]?[\s\p{Z}\p{Cf}()\x{FF08}\x{FF09}]{0,4}\p{Nd}(?:[\s\p{Z}\p{Cf}\p{Pd}\x{2212}.·•․∙⋅．/⁄∕／()\x{FF08}\x{FF09}]{0,8}\p{Nd})+`)

// group matches digits without anything between them.
var group = regexp.MustCompile(`\p{Nd}+`)

// prospect collects what may be numbers.
type prospect struct {
	region string
	trunk  string // prefix of the region, or empty
	left   int    // readings that are left
	read   map[string]string
	seen   map[string]bool
	groups map[string][]string // how the country groups a number
	long   []string            // rows that are read when all others have been
	digits []string

	guessing bool // Region asks: numbers with a country code do not matter
	told     bool // the page tells the region: any of its numbers is national
	national int  // how many numbers are written without a country code, as Region counts them
}

func newProspect(region string, readings int) *prospect {
	p := &prospect{region: strings.ToUpper(region), left: readings, read: make(map[string]string), seen: make(map[string]bool), groups: make(map[string][]string)}
	p.trunk = phonenumbers.GetNddPrefixForRegion(p.region, true)
	return p
}

// candidates returns what may be numbers of a page of that many bytes, as digits in international form.
func candidates(values []value, bytes int, region string) []string {
	p := newProspect(region, min(leastReadings+bytes/readingEach, maxReadings))
	p.find(values)
	return p.digits
}

// find looks through the values.
func (p *prospect) find(values []value) {
	for _, v := range values { // links first, because they call a number for certain
		if v.kind != Text && v.kind != Attribute {
			p.link(v)
		}
	}
	for _, v := range values {
		if v.kind == Text || v.kind == Attribute {
			p.text(strings.Join(v.pieces, ""))
		}
	}
	for _, found := range p.long {
		p.row(found)
	}
}

// link adds the number that a link calls, if it has a possible length.
func (p *prospect) link(v value) {
	found := row.FindString(plain(v.pieces[0]))
	digits := digitsOf(found)
	if v.kind == Messenger || hasPlus(found) {
		digits = "+" + digits
	}
	if p.told && digits != "" && digits[0] != '+' && p.take(digits, phonenumbers.IsValidNumber) {
		p.national++
		return
	}
	p.take(digits, phonenumbers.IsPossibleNumber)
}

// text adds the numbers in rows of digits, but for long ones.
func (p *prospect) text(text string) {
	for _, found := range row.FindAllString(text, -1) {
		switch {
		case len(found) > longRow:
			p.long = append(p.long, found)
		case len(found) >= minDigits:
			p.row(found)
		}
	}
}

// row adds the numbers in a row of digits. If it can be read in several ways, the leftmost number counts, and of these
// the longest. A group of digits is never divided.
func (p *prospect) row(found string) {
	groups := group.FindAllString(found, -1)
	for i := range groups {
		groups[i] = digitsOf(groups[i])
	}
	plus := hasPlus(found)
	for i := 0; i < len(groups); {
		i += max(1, p.longest(groups[i:], plus && i == 0))
	}
}

// longest adds the longest number that begins with the first group, and returns how many groups it has.
func (p *prospect) longest(groups []string, plus bool) int {
	size, most := 0, 0
	for most < len(groups) && size+len(groups[most]) <= maxDigits {
		size += len(groups[most])
		most++
	}
	if p.guessing && (plus || strings.HasPrefix(groups[0], "00")) {
		return most
	}
	for n := most; n > 0 && p.left > 0; n-- {
		digits := strings.Join(groups[:n], "")
		switch {
		case len(digits) < minDigits:
			return 0
		case plus:
			digits = "+" + digits
		case strings.HasPrefix(digits, "00"): // the dialling prefix before a country code in most countries
			digits = "+" + digits[2:]
		case !p.looksNational(digits, n):
			continue
		}
		if p.take(digits, phonenumbers.IsValidNumber) {
			if digits[0] != '+' && (p.told || p.isGrouped(groups[:n], p.read[digits])) {
				p.national++
			}
			return n
		}
	}
	return 0
}

// looksNational prevents that figures of all kinds are read as national numbers. Some countries have a number for
// nearly every row of digits. So without a trunk prefix, a number is expected in groups, and where the country has such
// a prefix, to be long.
func (p *prospect) looksNational(digits string, groups int) bool {
	switch {
	case p.region == "":
		return false
	case p.trunk != "" && strings.HasPrefix(digits, p.trunk):
		return true
	}
	return groups > 1 && (p.trunk == "" || len(digits) > 8)
}

// take adds the number with these digits if it is valid.
func (p *prospect) take(digits string, good func(*phonenumbers.PhoneNumber) bool) bool {
	number, known := p.read[digits]
	if !known {
		if p.left == 0 {
			return false
		}
		p.left--
		if n, err := phonenumbers.Parse(digits, p.region); err == nil && good(n) {
			number = strings.TrimPrefix(phonenumbers.Format(n, phonenumbers.E164), "+")
		}
		p.read[digits] = number
	}
	if number == "" {
		return false
	}
	if !p.seen[number] && len(p.seen) < MaxNumbers {
		p.seen[number] = true
		p.digits = append(p.digits, number)
	}
	return true
}

func hasPlus(found string) bool {
	return strings.HasPrefix(found, "+") || strings.HasPrefix(found, "\uFF0B") || strings.HasPrefix(found, "\uFE62")
}

// zeros are the zeros of the scripts in which numbers are written; see package phone.
var zeros = [...]rune{'0', 0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xE50, 0xED0, 0x1040, 0x17E0, 0xFF10}

func digitsOf(text string) string {
	var digits strings.Builder
	for _, r := range text {
		for _, zero := range zeros {
			if r >= zero && r <= zero+9 {
				digits.WriteByte('0' + byte(r-zero))
			}
		}
	}
	return digits.String()
}
