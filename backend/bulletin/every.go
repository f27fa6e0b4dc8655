package bulletin

import (
	"time"

	"github.com/seed-3405227d/frontdesk/backend/report/period"
)

// Every is how often figures are mailed.
type Every string

// The frequencies. Weeks begin on Monday (ISO 8601).
const (
	Day   Every = "day"
	Week  Every = "week"
	Month Every = "month"
)

// Frequencies are all of them.
var Frequencies = []Every{Day, Week, Month}

// hour is when mails are due, in the site's time zone: before the working day, and after the night in which clocks are
// changed.
const hour = 7

// Latest is the last period that is over and whose mail is due.
func (e Every) Latest(now time.Time, zone *time.Location) period.Period {
	today := period.DateOf(now, zone)
	year, month, day := civil(today).Date()
	if now.Before(time.Date(year, month, day, hour, 0, 0, 0, zone)) {
		today--
	}
	switch e {
	case Week:
		return e.from(today-period.Date(civil(today).Weekday()+6)%7-7, zone)
	case Month:
		last := today - period.Date(civil(today).Day())
		return e.from(last-period.Date(civil(last).Day())+1, zone)
	}
	return e.from(today-1, zone)
}

// from is the period that begins on the day.
func (e Every) from(first period.Date, zone *time.Location) period.Period {
	p := period.Period{First: first, Last: first, Step: period.Day, Zone: zone}
	switch e {
	case Week:
		p.Last += 6
	case Month:
		p.Last = period.DateOf(civil(first).AddDate(0, 1, -1), time.UTC)
	default:
		p.Step = period.Hour
	}
	return p
}

// civil is the day as UTC has it.
func civil(d period.Date) time.Time { return time.Unix(int64(d)*24*60*60, 0).UTC() }
