package period_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/report/period"
)

var now = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func zone(t testing.TB, name string) *time.Location {
	z, err := time.LoadLocation(name)
	require.NoError(t, err)
	return z
}

func read(t *testing.T, first, last string, step period.Step, name string) period.Period {
	p, err := period.Read(first, last, string(step), zone(t, name), now)
	require.NoError(t, err)
	return p
}

func TestWhatIsNoPeriod(t *testing.T) {
	for _, test := range []struct {
		first, last, step string
		err               error
	}{
		{"2026-10-31", "2026-10-01", "day", period.ErrReversed},
		{"1926-10-31", "2026-10-01", "day", period.ErrDate},
		{"1996-10-31", "2026-10-01", "month", period.ErrLong},
		{"2026-11-25", "2026-11-26", "day", period.ErrFuture},
		{"2026-02-30", "2026-11-26", "day", period.ErrDate},
		{"", "2026-11-26", "day", period.ErrDate},
		{"2026-11-01", "yesterday", "day", period.ErrDate},
		{"2026-11-01", "2026-11-02", "fortnight", period.ErrStep},
		{"2026-08-01", "2026-11-02", "hour", period.ErrParts},
		{"2020-08-01", "2026-11-02", "day", period.ErrParts},
	} {
		_, err := period.Read(test.first, test.last, test.step, time.UTC, now)
		require.ErrorIs(t, err, test.err, "%v", test)
	}
	read(t, "2026-11-24", "2026-12-31", period.Day, "UTC") // it has begun
}

func TestPartsOfDays(t *testing.T) {
	for _, test := range []struct {
		day, zone  string
		hours      int
		start, end string // in UTC
	}{
		{"2026-03-29", "Europe/Berlin", 23, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"2026-10-25", "Europe/Berlin", 25, "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		{"2026-10-25", "Asia/Kathmandu", 24, "2026-10-24T18:15:00Z", "2026-10-25T18:15:00Z"},
		{"2025-10-05", "Australia/Lord_Howe", 24, "2025-10-04T13:30:00Z", "2025-10-05T13:00:00Z"}, // half an hour less
		{"2025-04-25", "Africa/Cairo", 23, "2025-04-24T22:00:00Z", "2025-04-25T21:00:00Z"},        // without a midnight
		{"2025-03-09", "America/Havana", 23, "2025-03-09T05:00:00Z", "2025-03-10T04:00:00Z"},      // without a midnight
		{"2025-11-02", "America/Havana", 25, "2025-11-02T04:00:00Z", "2025-11-03T05:00:00Z"},      // with two
		{"2021-10-29", "Asia/Amman", 25, "2021-10-28T21:00:00Z", "2021-10-29T22:00:00Z"},          // with two, east of Greenwich
		{"2011-12-30", "Pacific/Apia", 0, "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"},         // left out
	} {
		p, err := period.Read(test.day, test.day, "hour", zone(t, test.zone), now)
		require.NoError(t, err)
		require.Equal(t, test.start, p.Start().UTC().Format(time.RFC3339), test)
		require.Equal(t, test.end, p.End().UTC().Format(time.RFC3339), test)
		hours := p.Parts()
		require.Len(t, hours, test.hours, test)
		for i, h := range hours {
			require.Equal(t, i == 0, h.Start.Equal(p.Start()))
			require.True(t, i == 0 || h.Start.Equal(hours[i-1].End), "no gap")
		}
	}
}

func TestWeeksAndMonths(t *testing.T) {
	weeks := read(t, "2026-10-01", "2026-10-31", period.Week, "Europe/Moscow").Parts()
	require.Len(t, weeks, 5)
	require.Equal(t, 4*24*time.Hour, weeks[0].End.Sub(weeks[0].Start), "Thursday to Sunday")
	require.Equal(t, time.Monday, weeks[1].Start.Weekday())
	require.Equal(t, 6*24*time.Hour, weeks[4].End.Sub(weeks[4].Start), "Monday to Saturday")

	months := read(t, "2024-02-10", "2024-04-01", period.Month, "UTC").Parts()
	require.Len(t, months, 3)
	require.Equal(t, 20*24*time.Hour, months[0].End.Sub(months[0].Start), "to the 29th")
	require.Equal(t, 24*time.Hour, months[2].End.Sub(months[2].Start))
	require.False(t, months[2].Running(now))
	require.True(t, period.Part{Start: now, End: now.Add(1)}.Running(now))
}

func TestPeriodsBeside(t *testing.T) {
	days := func(p period.Period) [2]string { return [2]string{p.First.String(), p.Last.String()} }
	october := read(t, "2026-10-01", "2026-10-31", period.Day, "UTC")
	require.Equal(t, [2]string{"2026-09-01", "2026-09-30"}, days(october.Before()), "the month before")
	require.Equal(t, [2]string{"2025-10-01", "2025-10-31"}, days(october.YearBefore()))
	require.Equal(t, [2]string{"2026-04-01", "2026-06-30"}, days(read(t, "2026-07-01", "2026-09-30", period.Day, "UTC").Before()), "the quarter before")
	require.Equal(t, [2]string{"2026-10-25", "2026-10-31"}, days(read(t, "2026-11-01", "2026-11-07", period.Day, "UTC").Before()))
	require.Equal(t, [2]string{"2023-02-01", "2023-02-28"}, days(read(t, "2024-02-01", "2024-02-29", period.Day, "UTC").YearBefore()))
}

// Whatever the zone and the days, the parts are the period: they follow one another, and none is empty.
func FuzzPeriod(f *testing.F) {
	for _, name := range []string{"Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Africa/Casablanca", "Asia/Gaza", "Antarctica/Troll", "America/Godthab"} {
		f.Add(name, 14000, 40, uint8(0))
	}
	f.Fuzz(func(t *testing.T, name string, first, days int, step uint8) {
		z, err := time.LoadLocation(name)
		if err != nil || first < 0 || first > 20000 || days < 0 || days > 4000 {
			return
		}
		from, to := period.Date(first), period.Date(first+days)
		p, err := period.Read(from.String(), to.String(), string(period.Steps[int(step)%len(period.Steps)]), z, now)
		if err != nil {
			return
		}
		at := p.Start()
		for _, part := range p.Parts() {
			require.True(t, part.Start.Equal(at), "%v %v", part, at)
			require.True(t, part.Start.Before(part.End))
			at = part.End
		}
		require.True(t, at.Equal(p.End()), "%v %v", at, p.End())
	})
}
