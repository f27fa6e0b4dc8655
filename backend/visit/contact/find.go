package contact

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

const (
	// leastFound is how many digits a number has at least that is found in a long text without a plus sign, and
	// leastAlone in one of at most aloneText bytes.
	leastFound, leastAlone, aloneText = 9, 7, 64
	// mostFound is how many digits are read as one number at most.
	mostFound = maxDigits + len("810") // what Russians dial for the plus sign
	// maxRows is of how many rows of digits a number consists.
	maxRows = 12
)

// namedBefore are the beginnings of links, before whose digits the plus sign is left out.
var namedBefore = []string{"wa.me/", "wa.me/+", "phone=", "phone=+", "phone=%2b", "number=%2b", "number=+"}

// FindPhone returns the first telephone number that stands in the text, as it is written there, or "". A number without
// a country code belongs to the region; see [ReadPhone]. try is asked before each reading, which takes some 15 µs; the
// search ends when it says no. All else takes time in proportion to the text.
func FindPhone(text, region string, try func() bool) string {
	steps.Walk(len(text))
	for at := 0; at < len(text); {
		if !isDigit(text[at]) {
			at++
			continue
		}
		rows := rowsAt(text, at)
		behind := rows.ends[0]
		switch begin, named := beginOf(text, at); {
		case begin < 0:
		case rows.areDate(text):
			behind = rows.ends[2]
		default:
			least := leastFound
			if named || len(text) <= aloneText {
				least = leastAlone
			}
			for i := rows.n - 1; i >= 0 && rows.digits[i] >= least; i-- {
				written := text[begin:rows.ends[i]]
				if named && text[begin] != '+' && text[begin] != '(' {
					written = "+" + written
				}
				if !endsAt(text, rows.ends[i]) {
					continue
				}
				if !try() {
					return ""
				}
				if ReadPhone(written, region).Digits != "" {
					return written
				}
			}
		}
		at = behind
	}
	return ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// rows are the rows of digits of which a number may consist: where each ends, and how many digits there are up to there.
type rows struct {
	ends, digits [maxRows]int
	n            int
}

// rowsAt are the rows of digits that begin at the place. There is none where the first is too long for a number, but its
// end is the first.
func rowsAt(text string, at int) (r rows) {
	for digits := 0; r.n < maxRows; {
		for at < len(text) && isDigit(text[at]) && (r.n == 0 || digits <= mostFound) {
			digits++
			at++
		}
		r.ends[r.n], r.digits[r.n] = at, digits
		if digits > mostFound {
			return r
		}
		r.n++
		next := at
		for signs := 0; signs < 3 && next < len(text) && !isDigit(text[next]); signs++ {
			sign, size := utf8.DecodeRuneInString(text[next:])
			if !strings.ContainsRune(" -.()/\u00a0\u2010\u2011\u2012\u2013\u2014", sign) {
				return r
			}
			next += size
		}
		if next == len(text) || !isDigit(text[next]) {
			return r
		}
		at = next
	}
	return r
}

// areDate tells whether the first three rows are a date with its year.
func (r rows) areDate(text string) bool {
	if r.n < 3 {
		return false
	}
	first, second, third := r.digits[0], r.digits[1]-r.digits[0], r.digits[2]-r.digits[1]
	isYear := func(end int) bool { return text[end-4:end-2] == "19" || text[end-4:end-2] == "20" }
	return first <= 2 && second <= 2 && third == 4 && isYear(r.ends[2]) || first == 4 && second == 2 && third == 2 && isYear(r.ends[0])
}

// beginOf is where the number begins whose first digit stands at the place, with its plus sign, and whether its country
// is named. It is less than 0 where no number begins.
func beginOf(text string, at int) (begin int, named bool) {
	before := text[:at]
	for _, link := range namedBefore {
		if len(before) >= len(link) && strings.EqualFold(before[len(before)-len(link):], link) {
			return at, true
		}
	}
	opened := strings.TrimSuffix(before, "(")
	if plus := strings.TrimSuffix(opened, " "); strings.HasSuffix(plus, "+") {
		return len(plus) - 1, true
	}
	if opened == "" {
		return len(opened), false
	}
	switch last := opened[len(opened)-1]; {
	case isLatin(last), isDigit(last), strings.IndexByte("_#=/@*%&+", last) >= 0, strings.HasSuffix(opened, "№"):
		return -1, false
	case last == '-' && len(opened) > 1 && isLatin(opened[len(opened)-2]): // the name of something
		return -1, false
	}
	return len(opened), false
}

// endsAt tells whether a number may end there.
func endsAt(text string, end int) bool {
	return end == len(text) || !isLatin(text[end]) && !isDigit(text[end]) && strings.IndexByte("_@%", text[end]) < 0
}

func isLatin(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
