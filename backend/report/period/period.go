// Package period knows the stretches of time of which reports are: from a day to a day in a site's time zone, cut into
// hours, days, weeks or months.
package period

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Step is how long a part of a period is.
type Step string

// The steps. Weeks begin on Monday (ISO 8601).
const (
	Hour  Step = "hour"
	Day   Step = "day"
	Week  Step = "week"
	Month Step = "month"
)

// Steps are all steps, the shortest first.
var Steps = []Step{Hour, Day, Week, Month}

const (
	// MaxDays is how long a period may be: some ten years.
	MaxDays = 3660
	// maxHourDays and maxDayDays are how long a period may be that is cut into hours, or into days.
	maxHourDays, maxDayDays = 62, 1500
)

// Errors of periods that somebody has asked for.
var (
	ErrDate     = errors.New("expected a day such as 2026-10-31")
	ErrStep     = errors.New("expected hour, day, week or month")
	ErrReversed = errors.New("the last day is before the first")
	ErrFuture   = errors.New("the period has not begun yet")
	ErrLong     = errors.New("the period is longer than ten years")
	ErrParts    = errors.New("the period has too many parts of this length")
)

// Period is a row of whole days in a time zone.
type Period struct {
	// First and Last are days, both within the period.
	First, Last Date
	Step        Step
	Zone        *time.Location
}

// Part is a stretch of a period: an hour, a day, a week or a month, or what of it is within the period.
type Part struct {
	// Start and End are instants; End is the first that is not in the part.
	Start, End time.Time
}

// Read reads a period as an address names it: days such as "2026-10-01", and a step. The error is one of this package's
// for what is no period, or is none that has begun by now.
func Read(first, last, step string, zone *time.Location, now time.Time) (Period, error) {
	p := Period{Step: Step(step), Zone: zone}
	var err error
	if p.First, err = ReadDate(first); err != nil {
		return Period{}, fmt.Errorf("first day: %w", err)
	}
	if p.Last, err = ReadDate(last); err != nil {
		return Period{}, fmt.Errorf("last day: %w", err)
	}
	if err := p.check(now); err != nil {
		return Period{}, err
	}
	return p, nil
}

func (p Period) check(now time.Time) error {
	days := p.Days()
	switch {
	case days < 1:
		return ErrReversed
	case days > MaxDays:
		return ErrLong
	case p.First.Start(p.Zone).After(now):
		return ErrFuture
	case !slices.Contains(Steps, p.Step):
		return ErrStep
	case p.Step == Hour && days > maxHourDays, p.Step == Day && days > maxDayDays:
		return ErrParts
	}
	return nil
}

// Days is how many days the period has.
func (p Period) Days() int { return int(p.Last-p.First) + 1 }

// Start is when the period begins, and End the first instant after it.
func (p Period) Start() time.Time { return p.First.Start(p.Zone) }
func (p Period) End() time.Time   { return (p.Last + 1).Start(p.Zone) }

// Parts are the parts of the period, one after the other, without a gap. The first and the last week or month have only
// those of their days that are in the period.
func (p Period) Parts() []Part {
	if p.Step == Hour {
		return p.hours()
	}
	var parts []Part
	for day := p.First; day <= p.Last; {
		next := min(p.after(day), p.Last+1)
		if part := (Part{day.Start(p.Zone), next.Start(p.Zone)}); part.Start.Before(part.End) {
			parts = append(parts, part)
		}
		day = next
	}
	return parts
}

// after is the first day of the part after that of the day.
func (p Period) after(day Date) Date {
	switch p.Step {
	case Week:
		return day.monday() + 7
	case Month:
		return day.nextMonth()
	default:
		return day + 1
	}
}

// hours are the hours as they pass: a day on which clocks are changed has one more or less. They begin with those of the
// zone's clock, which is at a quarter, a half or three quarters of an hour of UTC in some zones.
func (p Period) hours() []Part {
	var parts []Part
	for at, end := p.Start(), p.End(); at.Before(end); {
		next := at.Add(time.Hour)
		if past := time.Duration(next.Minute())*time.Minute + time.Duration(next.Second())*time.Second; past != 0 {
			next = next.Add(-past) // clocks were changed by a part of an hour
		}
		if !next.After(at) {
			next = at.Add(time.Hour)
		}
		if next.After(end) {
			next = end
		}
		parts = append(parts, Part{at, next})
		at = next
	}
	return parts
}

// Before is the period of as many days just before; of whole months it is as many whole months.
func (p Period) Before() Period {
	if months := p.wholeMonths(); months > 0 {
		last := p.First - 1
		first := last.first()
		for range months - 1 {
			first = (first - 1).first()
		}
		p.First, p.Last = first, last
		return p
	}
	p.First, p.Last = p.First-Date(p.Days()), p.First-1
	return p
}

// wholeMonths is of how many whole months the period is; 0 if it is not.
func (p Period) wholeMonths() (n int) {
	if p.First != p.First.first() || p.Last+1 != (p.Last+1).first() {
		return 0
	}
	for first := p.First; first <= p.Last; first = first.nextMonth() {
		n++
	}
	return n
}

// YearBefore is the same period of the year before.
func (p Period) YearBefore() Period {
	p.First, p.Last = p.First.yearBefore(), p.Last.yearBefore()
	return p
}

// Running reports whether the part is not over yet.
func (p Part) Running(now time.Time) bool { return now.Before(p.End) }
