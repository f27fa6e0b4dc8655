// Package wanted reads and writes what is wanted of a report as its address has it: for which time, by what, and of what
// alone. The console, the reports that are saved, and the links to reports have it so.
package wanted

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
)

// Own is the span whose days the address names.
const Own = "own"

// Spans are the stretches of time that can be wanted; all but Own move on from day to day.
var Spans = []string{"today", "yesterday", "7", "28", "90", "month", "last_month", "year", Own}

// DefaultSpan is the span of an address that names none.
const DefaultSpan = "28"

// DaysOf are the first and the last day of the span on the day. They are not known of Own.
func DaysOf(span string, today period.Date) (first, last period.Date, known bool) {
	day := time.Unix(int64(today)*24*60*60, 0).UTC()
	date := func(year int, month time.Month, day int) period.Date {
		return period.DateOf(time.Date(year, month, day, 0, 0, 0, 0, time.UTC), time.UTC)
	}
	switch span {
	case "today":
		return today, today, true
	case "yesterday":
		return today - 1, today - 1, true
	case "month":
		return date(day.Year(), day.Month(), 1), today, true
	case "last_month":
		return date(day.Year(), day.Month()-1, 1), date(day.Year(), day.Month(), 0), true
	case "year":
		return date(day.Year(), 1, 1), today, true
	case "7", "28", "90":
		days, _ := strconv.Atoi(span)
		return today - period.Date(days) + 1, today, true
	}
	return 0, 0, false
}

// StepOf is the length of parts where none is chosen.
func StepOf(from, to string) period.Step {
	first, err := period.ReadDate(from)
	last, err2 := period.ReadDate(to)
	days := last - first + 1
	switch {
	case err != nil || err2 != nil || days > 2 && days <= 92:
		return period.Day
	case days <= 2:
		return period.Hour
	case days <= 400:
		return period.Week
	}
	return period.Month
}

// PeriodOf is the time of the span on the day of now in the zone. The texts are as an address has them; from and to are
// those of Own. The days are those of the period. The error is one of package period.
func PeriodOf(span, from, to, step string, zone *time.Location, now time.Time) (p period.Period, first, last string, err error) {
	if span != Own {
		first, last, known := DaysOf(span, period.DateOf(now, zone))
		if !known {
			return p, from, to, period.ErrDate
		}
		from, to = first.String(), last.String()
	}
	p, err = period.Read(from, to, cmp.Or(step, string(StepOf(from, to))), zone, now)
	return p, from, to, err
}

// RuleOf is the rule by which contacts are shared; of texts that are empty the usual one. The error is [credit.ErrRule].
func RuleOf(model, window string) (credit.Rule, error) {
	days, err := strconv.Atoi(cmp.Or(window, "30"))
	if err != nil || days < 1 || days > 90 {
		return credit.Rule{}, credit.ErrRule
	}
	rule := credit.Rule{Model: credit.Model(cmp.Or(model, string(credit.LastNotDirect))), Window: time.Duration(days) * 24 * time.Hour}
	return rule, rule.Check()
}

// filterPrefix is before a dimension in the name by which an address filters.
const filterPrefix = "f."

// FilterName is how an address filters by the dimension.
func FilterName(d report.Dimension) string { return filterPrefix + string(d) }

// IsFilter tells whether an address filters by the name.
func IsFilter(name string) bool { return strings.HasPrefix(name, filterPrefix) }

// mostFiltered is how many bytes the filters of an address may have, which stand in each link of a report.
const mostFiltered = 1000

// Filters are those of the query, in the order of their names. The error is that of filters that are too long.
func Filters(query url.Values) (filters []report.Filter, err error) {
	size := 0
	for _, name := range slices.Sorted(maps.Keys(query)) {
		dimension, is := strings.CutPrefix(name, filterPrefix)
		if !is {
			continue
		}
		size += len(name) + len(strings.Join(query[name], "&"))
		filters = append(filters, report.Filter{Dimension: report.Dimension(dimension), Values: query[name]})
	}
	if size > mostFiltered {
		return nil, report.ErrFilters
	}
	return filters, nil
}

// forOutside are the dimensions of reports that links hand out. Those that name who answers are not among them, and one that
// is new is not before it stands here.
var forOutside = []report.Dimension{report.Channel, report.Source, report.Medium, report.Campaign, report.Content, report.Keyword, report.Referrer, report.Landing,
	report.Device, report.Browser, report.Language, report.Country, report.Area, report.City, report.Kind, report.Page, report.Number, report.Form, report.Hour, report.Weekday}

// IsForOutside tells whether a link may hand out a report by the dimensions with the filters.
func IsForOutside(by []report.Dimension, filters []report.Filter) bool {
	for _, d := range by {
		if !slices.Contains(forOutside, d) {
			return false
		}
	}
	return !slices.ContainsFunc(filters, func(f report.Filter) bool { return !slices.Contains(forOutside, f.Dimension) })
}
