package person

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// names are the numbers and addresses by which a person is named in texts.
type names struct {
	numbers   map[string]bool // digits
	lengths   []int           // of the numbers
	addresses map[string]bool // in lower case
}

// namesOf are those of the marks.
func namesOf(marks []trace.Mark) names {
	n := names{numbers: make(map[string]bool), addresses: make(map[string]bool)}
	for _, m := range marks {
		switch {
		case m.Text == "":
		case m.Kind == trace.Email:
			n.addresses[lower(m.Text)] = true
		case m.Kind == trace.Phone || m.Kind == trace.Written:
			n.numbers[m.Text] = true
			if !slices.Contains(n.lengths, len(m.Text)) {
				n.lengths = append(n.lengths, len(m.Text))
			}
		}
	}
	return n
}

// none reports whether the person is named by nothing.
func (n names) none() bool { return len(n.numbers) == 0 && len(n.addresses) == 0 }

// in reports whether one of them stands in the text: a number in any writing, with signs between its digits, an address
// in any case. The text may be one of HTML or JSON, or an address of the web.
func (n names) in(text string) bool {
	return !eachReading(text, func(text string) bool {
		return !(len(n.numbers) > 0 && !eachNumber(text, n.lengths, func(digits []byte) bool { return !n.numbers[string(digits)] }) ||
			len(n.addresses) > 0 && !eachAddress(text, func(address string) bool { return !n.addresses[address] }))
	})
}

const (
	// maxGap is how many signs stand between two digits of a number.
	maxGap = 6
	// maxCountry is how many digits the code of a country has (E.164, section 6.2.1).
	maxCountry = 3
)

// dialled are the digits that may stand before a number without a sign between: to leave a country, or a town.
var dialled = []string{"0", "00", "8", "810", "011"}

// eachNumber calls do with the digits of one of the lengths that may be a number: with nothing but a few signs between
// them, and no other digit right before or behind. A number after a plus sign begins with its country. eachNumber
// returns false when do does.
func eachNumber(text string, lengths []int, do func(digits []byte) bool) bool {
	var row digitRow
	gap, plus, last := 0, false, ' '
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		digit := digitOf(r)
		switch {
		case digit == 0 && last == '(' && i < len(text) && text[i] == ')': // it is dialled within the country alone
			gap++
		case digit >= 0:
			row.digits = append(row.digits, '0'+byte(digit))
			row.joined = append(row.joined, gap == 0 && len(row.joined) > 0)
			row.plus = append(row.plus, plus)
			gap, plus = 0, false
		case gap < maxGap && isBetween(r):
			// Right behind a letter or a digit it stands for a blank, in an address of the web.
			gap, plus = gap+1, plus || r == '+' && !unicode.IsLetter(last) && !unicode.IsDigit(last)
		default:
			if !row.each(lengths, do) {
				return false
			}
			row = digitRow{row.digits[:0], row.joined[:0], row.plus[:0]}
			gap, plus = 0, false
		}
		if len(row.digits) == 0 {
			gap = 0
		}
		last = r
	}
	return row.each(lengths, do)
}

// digitRow are digits with nothing but signs between them. joined tells of each whether it stands right behind the one
// before, and plus whether a plus sign stands before it.
type digitRow struct {
	digits       []byte
	joined, plus []bool
}

func (r digitRow) each(lengths []int, do func([]byte) bool) bool {
	for begin := range r.digits {
		if !r.mayBegin(begin) {
			continue
		}
		for _, length := range lengths {
			end := begin + length
			if end > len(r.digits) || end < len(r.digits) && r.joined[end] {
				continue
			}
			if !do(r.digits[begin:end]) {
				return false
			}
		}
	}
	return true
}

// mayBegin reports whether a number may begin at the place.
func (r digitRow) mayBegin(at int) bool {
	for back := 1; back <= maxCountry && at-back >= 0 && !r.plus[at]; back++ {
		if r.plus[at-back] && r.digits[at-back] != '0' { // what stands between is the code of another country
			return false
		}
	}
	if !r.joined[at] {
		return true
	}
	for back := 1; back <= at; back++ {
		if !r.joined[at-back] {
			return slices.Contains(dialled, string(r.digits[at-back:at]))
		}
		if back > maxCountry {
			break
		}
	}
	return false
}

// isBetween reports whether the sign may stand between the digits of a number.
func isBetween(r rune) bool {
	switch r {
	case ' ', '(', ')', '-', '.', '/', '+', '_', '~', '*', '\t', '\n', '\r', '·', '•':
		return true
	}
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Zs, unicode.Pd, unicode.Cf)
}

// digitOf is the value of a decimal digit of any script; -1 for other signs.
func digitOf(r rune) int {
	if r < utf8.RuneSelf {
		if r < '0' || r > '9' {
			return -1
		}
		return int(r - '0')
	}
	if !unicode.Is(unicode.Nd, r) {
		return -1
	}
	for value := 0; ; value++ { // they stand in rows of ten, one after another from zero
		if !unicode.Is(unicode.Nd, r-rune(value)-1) || value == 9 {
			return value % 10
		}
	}
}
