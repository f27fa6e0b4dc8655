package cost

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/seed-3405227d/frontdesk/backend/report/period"
)

// Unit is one unit of a currency, as amounts have it.
const Unit = 1_000_000

const (
	// maxAmount and maxCount are more than a campaign costs or has on a day.
	maxAmount = 1_000_000_000 * Unit
	maxCount  = 1_000_000_000_000
)

// layouts are the writings of days that can be read in one way. The others are those of layoutsOf.
var layouts = []string{"2006-1-2", "2.1.2006", "2006/1/2", "20060102", "Jan 2, 2006", "2 Jan 2006", "January 2, 2006", "2 January 2006"}

var layoutsOf = map[Order][]string{
	DayFirst:   {"2/1/2006", "2-1-2006", "2/1/06", "2.1.06"},
	MonthFirst: {"1/2/2006", "1-2-2006", "1/2/06"},
}

func dayBy(cell string, layouts []string) (period.Date, bool) {
	if len(cell) < 6 || len(cell) > 40 {
		return 0, false
	}
	cell, _, _ = strings.Cut(cell, "T") // of a time such as 2026-10-31T00:00:00
	if day, clock, cut := strings.Cut(cell, " "); cut && strings.Contains(clock, ":") {
		cell = day
	}
	shape := shapeOf(cell)
	for _, layout := range layouts {
		if shapeOf(layout) != shape {
			continue
		}
		t, err := time.Parse(layout, cell)
		if err != nil {
			continue
		}
		d, err := period.ReadDate(t.Format(time.DateOnly))
		return d, err == nil
	}
	return 0, false
}

// shape is how a day is written, but for what it says: package time makes an error, which takes more than the cell, of each day that
// another layout has.
type shape [16]byte

func shapeOf(text string) (s shape) {
	n, digits := 0, 0
	for i := 0; i < len(text) && n < len(s); i++ {
		sign := text[i]
		switch {
		case sign >= '0' && sign <= '9':
			digits++
			if i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
				continue
			}
			// One digit or two are a day, a month or a short year, four are a year, and eight are all three.
			sign = '0' + byte(min(max(digits, 2), 9))
			digits = 0
		case sign >= 'a' && sign <= 'z', sign >= 'A' && sign <= 'Z':
			sign = 'a'
		}
		if (sign == 'a' || sign == ' ') && n > 0 && s[n-1] == sign {
			continue
		}
		s[n] = sign
		n++
	}
	return s
}

// pointOf is the decimal sign of an amount by itself; 0 if it cannot be told, or there is none.
func pointOf(amount string) byte {
	last := strings.LastIndexAny(amount, ".,")
	if last < 0 {
		return 0
	}
	before := strings.IndexAny(amount, ".,")
	switch {
	case before < last && amount[before] == amount[last]: // 1,234,567
		return 0
	case before < last:
		return amount[last]
	case len(amount)-last-1 != 3 || last > 3 || last == 0 || amount[:last] == "0":
		return amount[last]
	}
	return 0
}

// bare leaves the digits of an amount, its points and its commas. ok is false if there is more than currencies and spaces.
func bare(cell string) (digits string, ok bool) {
	if len(cell) > 64 {
		return "", false
	}
	var b strings.Builder
	for _, r := range cell {
		switch {
		case r >= '0' && r <= '9', r == '.', r == ',':
			b.WriteRune(r)
		case r == '٫':
			b.WriteByte('.')
		case r == '\'', r == '’', unicode.IsSpace(r), unicode.Is(unicode.Sc, r):
		case unicode.IsLetter(r):
		default:
			return "", false
		}
	}
	digits = strings.TrimRight(b.String(), ".,") // of "руб."
	return digits, strings.ContainsAny(digits, "0123456789")
}

// amount reads an amount in millionths. Where it does not tell its decimal sign by itself, it is point; without either,
// a sign before three digits groups them. ok is false for what is no amount, or less than nothing.
func amount(cell string, point byte) (n int64, ok bool) {
	digits, ok := bare(cell)
	if !ok {
		return 0, false
	}
	if own := pointOf(digits); own != 0 {
		point = own
	}
	whole, part := digits, ""
	if at := strings.LastIndexByte(digits, point); point != 0 && at >= 0 && strings.IndexByte(digits, point) == at {
		whole, part = digits[:at], digits[at+1:]
	}
	whole, ok = joined(whole)
	if !ok || whole == "" && part == "" {
		return 0, false
	}
	if len(part) > 6 {
		part = part[:6] // Google writes micros, others less
	}
	n, err := strconv.ParseInt("0"+whole+part+strings.Repeat("0", 6-len(part)), 10, 64)
	if err != nil || n > maxAmount {
		return 0, false
	}
	return n, true
}

// joined are the digits of groups such as 1,234,567 or, in India, 12,34,567. ok is false if they are grouped otherwise.
func joined(whole string) (digits string, ok bool) {
	for _, sign := range []string{",", "."} {
		groups := strings.Split(whole, sign)
		if len(groups) > 1 && len(groups[len(groups)-1]) == 3 {
			whole = strings.Join(groups, "")
			break
		}
	}
	return whole, !strings.ContainsAny(whole, ",.")
}

// count reads a number of clicks or impressions, in whatever grouping; 0 for what is none.
func count(cell string) int64 {
	digits, ok := bare(cell)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(strings.NewReplacer(",", "", ".", "").Replace(digits), 10, 64)
	if err != nil || n > maxCount {
		return 0
	}
	return n
}
