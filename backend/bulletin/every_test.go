package bulletin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
)

// Mails are due at seven by the clock of the site, whatever clocks do in the night before.
func TestLatestPeriod(t *testing.T) {
	for _, c := range []struct {
		zone, at           string // at is the time of the zone
		day, week, weekEnd string
		month, monthEnd    string
	}{
		{"UTC", "2026-11-24 07:00", "2026-11-23", "2026-11-16", "2026-11-22", "2026-10-01", "2026-10-31"}, // a Tuesday
		{"UTC", "2026-11-24 06:59", "2026-11-22", "2026-11-16", "2026-11-22", "2026-10-01", "2026-10-31"},
		{"UTC", "2026-11-23 06:59", "2026-11-21", "2026-11-09", "2026-11-15", "2026-10-01", "2026-10-31"}, // a Monday
		{"UTC", "2026-11-23 07:00", "2026-11-22", "2026-11-16", "2026-11-22", "2026-10-01", "2026-10-31"},
		{"UTC", "2026-11-22 23:59", "2026-11-21", "2026-11-09", "2026-11-15", "2026-10-01", "2026-10-31"},
		{"UTC", "2026-03-01 06:59", "2026-02-27", "2026-02-16", "2026-02-22", "2026-01-01", "2026-01-31"},
		{"UTC", "2026-03-01 07:00", "2026-02-28", "2026-02-16", "2026-02-22", "2026-02-01", "2026-02-28"},
		{"UTC", "2028-03-01 07:00", "2028-02-29", "2028-02-21", "2028-02-27", "2028-02-01", "2028-02-29"},
		{"UTC", "2027-01-01 07:00", "2026-12-31", "2026-12-21", "2026-12-27", "2026-12-01", "2026-12-31"},
		{"Europe/Berlin", "2026-03-29 06:59", "2026-03-27", "2026-03-16", "2026-03-22", "2026-02-01", "2026-02-28"}, // clocks are put forward
		{"Europe/Berlin", "2026-03-29 07:00", "2026-03-28", "2026-03-16", "2026-03-22", "2026-02-01", "2026-02-28"},
		{"Europe/Berlin", "2026-10-25 06:59", "2026-10-23", "2026-10-12", "2026-10-18", "2026-09-01", "2026-09-30"}, // and back
		{"Europe/Berlin", "2026-10-25 07:00", "2026-10-24", "2026-10-12", "2026-10-18", "2026-09-01", "2026-09-30"},
		{"Pacific/Kiritimati", "2026-11-01 07:00", "2026-10-31", "2026-10-19", "2026-10-25", "2026-10-01", "2026-10-31"},
	} {
		zone, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		at, err := time.ParseInLocation("2006-01-02 15:04", c.at, zone)
		require.NoError(t, err)
		for every, span := range map[bulletin.Every][2]string{bulletin.Day: {c.day, c.day}, bulletin.Week: {c.week, c.weekEnd}, bulletin.Month: {c.month, c.monthEnd}} {
			p := every.Latest(at.UTC(), zone)
			found := [2]string{p.First.String(), p.Last.String()}
			require.Equal(t, span, found, "%s at %s in %s", every, c.at, c.zone)
		}
	}
}
