package period

import (
	"fmt"
	"time"
)

// Date is a day of the calendar, counted from 1970-01-01, which is 0.
type Date int

// ReadDate reads a day such as "2026-10-31" of the years 1970 to 9999. The error is [ErrDate].
func ReadDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() < 1970 {
		return 0, fmt.Errorf("%w, not %.20q", ErrDate, text)
	}
	return Date(t.Unix() / int64(24*time.Hour/time.Second)), nil
}

// DateOf is the day at the time in the zone.
func DateOf(t time.Time, zone *time.Location) Date {
	return dateOf(t.In(zone).Date())
}

func dateOf(year int, month time.Month, day int) Date {
	return Date(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / int64(24*time.Hour/time.Second))
}

// midnight is the date's day in UTC, whose clock is never changed.
func (d Date) midnight() time.Time {
	return time.Unix(int64(d)*int64(24*time.Hour/time.Second), 0).UTC()
}

// String writes the day as "2026-10-31".
func (d Date) String() string { return d.midnight().Format(time.DateOnly) }

// Start is the first instant of the day in the zone. Where clocks are put forward at midnight the day begins at one
// o'clock. A day that a zone has left out, as Samoa did with 2011-12-30, has no length.
func (d Date) Start(zone *time.Location) time.Time {
	year, month, day := d.midnight().Date()
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	begins, ends := t.ZoneBounds()
	if DateOf(t, zone) < d { // there is no midnight
		return ends
	}
	if !begins.IsZero() { // midnight may come twice, and the first one counts
		if earlier := t.Add(offset(t) - offset(begins.Add(-time.Second))); earlier.Before(begins) && DateOf(earlier, zone) == d {
			return earlier
		}
	}
	return t
}

func offset(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// monday is the Monday of the date's week, and first the first day of its month.
func (d Date) monday() Date { return d - Date((int(d.midnight().Weekday())+6)%7) }

func (d Date) first() Date {
	year, month, _ := d.midnight().Date()
	return dateOf(year, month, 1)
}

// nextMonth is the first day of the month after the date's.
func (d Date) nextMonth() Date {
	year, month, _ := d.midnight().Date()
	return dateOf(year, month+1, 1)
}

// yearBefore is the same day a year before; of the 29th of February, the 28th.
func (d Date) yearBefore() Date {
	year, month, day := d.midnight().Date()
	if month == time.February && day == 29 {
		day = 28
	}
	return dateOf(year-1, month, day)
}
