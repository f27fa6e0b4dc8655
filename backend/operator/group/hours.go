package group

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a server's system may have no time zones
)

// Span is a time of the day, in minutes since midnight: From is part of it, To is not. One of which To is not behind
// From goes on over midnight.
type Span struct{ From, To int }

// day is how many minutes it has.
const day = 24 * 60

// Hours are when a group works: the spans that begin on each day of the week, of which Sunday is the first. Hours
// without a span are always.
type Hours [7][]Span

// Always reports whether there is no span.
func (h Hours) Always() bool {
	return !slices.ContainsFunc(h[:], func(spans []Span) bool { return len(spans) > 0 })
}

// maxSpans is how many spans a day may have.
const maxSpans = 4

func (h Hours) check() error {
	for _, spans := range h {
		if len(spans) > maxSpans {
			return ErrHours
		}
		for _, s := range spans {
			if s.From < 0 || s.From >= day || s.To < 0 || s.To > day || s.From == s.To {
				return ErrHours
			}
		}
	}
	return nil
}

// open reports whether it is within the hours at the time, which is local. No span begins on a day that is off.
func (h Hours) open(at time.Time, off func(time.Time) bool) bool {
	minute := at.Hour()*60 + at.Minute()
	if !off(at) {
		if h.Always() {
			return true
		}
		for _, s := range h[at.Weekday()] {
			if s.From <= minute && (minute < s.To || s.To < s.From) {
				return true
			}
		}
	}
	before := time.Date(at.Year(), at.Month(), at.Day()-1, 12, 0, 0, 0, at.Location())
	return !off(before) && slices.ContainsFunc(h[before.Weekday()], func(s Span) bool { return s.To < s.From && minute < s.To })
}

// ParseSpans reads the times of a day as [FormatSpans] writes them. The error is [ErrHours].
func ParseSpans(text string) (spans []Span, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		from, to, found := strings.Cut(strings.ReplaceAll(part, "–", "-"), "-")
		first, err := parseMinute(from)
		last, err2 := parseMinute(to)
		if !found || err != nil || err2 != nil || first == last || first == day || len(spans) == maxSpans {
			return nil, ErrHours
		}
		spans = append(spans, Span{first, last})
	}
	return spans, nil
}

func parseMinute(text string) (int, error) {
	hours, minutes, found := strings.Cut(strings.TrimSpace(text), ":")
	h, err := strconv.ParseUint(hours, 10, 8)
	if err != nil || len(hours) > 2 {
		return 0, ErrHours
	}
	var m uint64
	if found {
		if m, err = strconv.ParseUint(minutes, 10, 8); err != nil || len(minutes) != 2 {
			return 0, ErrHours
		}
	}
	if m > 59 || h*60+m > day {
		return 0, ErrHours
	}
	return int(h*60 + m), nil
}

// FormatSpans writes the times of a day, such as "09:00-13:00, 14:00-18:00".
func FormatSpans(spans []Span) string {
	parts := make([]string, len(spans))
	for i, s := range spans {
		parts[i] = fmt.Sprintf("%02d:%02d-%02d:%02d", s.From/60, s.From%60, s.To/60, s.To%60)
	}
	return strings.Join(parts, ", ")
}

// Holiday is a day on which a group does not work: "2026-05-08", or "01-01" for each year.
type Holiday string

func (h Holiday) check() error {
	// A leap year has all days.
	text := string(h)
	if len(text) == len("01-02") {
		text = "2024-" + text
	}
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return ErrHolidays
	}
	return nil
}

func isHoliday(list []Holiday, at time.Time) bool {
	var room [len(time.DateOnly)]byte
	date := at.AppendFormat(room[:0], time.DateOnly)
	return slices.ContainsFunc(list, func(h Holiday) bool { return string(h) == string(date) || string(h) == string(date[len("2006-"):]) })
}
