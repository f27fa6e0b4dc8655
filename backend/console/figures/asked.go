// Package figures is what the console's pages of figures share: for which time they ask and of which sites, and how a
// figure, its change and its course are shown.
package figures

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/report/wanted"
)

// Spans are the stretches of time that can be chosen, with the names of their words.
var Spans = []frame.Option{
	{Value: "today", Name: "period.today"}, {Value: "yesterday", Name: "period.yesterday"}, {Value: "7", Name: "period.week"}, {Value: "28", Name: "period.fourWeeks"},
	{Value: "90", Name: "period.quarter"}, {Value: "month", Name: "period.month"}, {Value: "last_month", Name: "period.lastMonth"}, {Value: "year", Name: "period.year"}, {Value: wanted.Own, Name: "period.own"},
}

// What a period is compared with.
const (
	Before     = "before"
	YearBefore = "year"
	Nothing    = "none"
)

// Asked is what a page of figures is asked for. Its fields are texts as the address has them, so that a form that was not
// accepted shows them again.
type Asked struct {
	Span, From, To, Step, Beside string
	Model, Window                string
	Period                       period.Period
	Credit                       credit.Rule
	SiteIDs                      []int64
	PersonWindow                 time.Duration // the longest of the sites'
	// Currency is that of the sites' sums: ISO 4217, or empty where it is not told. It is Mixed if they have several: then sums are
	// not shown, because they do not add up.
	Currency string
	Mixed    bool
}

// Read reads what the query asks of the page's sites. The error can be told by [Mistake]; then the texts alone are set.
func Read(f *frame.Frame, p frame.Page, query url.Values, now time.Time) (Asked, error) {
	a := Asked{
		Span: cmp.Or(query.Get("span"), wanted.DefaultSpan), From: query.Get("from"), To: query.Get("to"), Step: query.Get("step"), Beside: cmp.Or(query.Get("beside"), Before),
		Model: cmp.Or(query.Get("model"), string(credit.LastNotDirect)), Window: cmp.Or(query.Get("window"), "30"),
	}
	a.Currency, a.Mixed = currencyOf(f, p)
	for _, s := range p.Sites {
		if p.SiteID == 0 || p.SiteID == s.ID {
			a.SiteIDs = append(a.SiteIDs, s.ID)
			a.PersonWindow = max(a.PersonWindow, f.Effective(s).PersonWindow())
		}
	}
	zone := f.Zone(p)
	var err error
	if a.Period, a.From, a.To, err = wanted.PeriodOf(a.Span, a.From, a.To, a.Step, zone, now); err != nil {
		return a, err
	}
	a.Credit, err = wanted.RuleOf(a.Model, a.Window)
	return a, err
}

// currencyOf is the currency of the page's sites, if it is one.
func currencyOf(f *frame.Frame, p frame.Page) (code string, mixed bool) {
	first := true
	for _, s := range p.Sites {
		if p.SiteID != 0 && p.SiteID != s.ID {
			continue
		}
		of := f.CurrencyOf(s)
		if !first && of != code {
			return "", true
		}
		code, first = of, false
	}
	return code, false
}

// Sums are those of the figures that the page can show: without sums of money where the sites have several currencies.
func (a Asked) Sums(keys []string) []string {
	if !a.Mixed {
		return keys
	}
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return money[key] })
}

// Compared is the period beside which the asked one is shown, if there is one.
func (a Asked) Compared() (period.Period, bool) {
	switch a.Beside {
	case Before:
		return a.Period.Before(), true
	case YearBefore:
		return a.Period.YearBefore(), true
	}
	return period.Period{}, false
}

// Question asks for the figures by the dimensions.
func (a Asked) Question(by []report.Dimension, filters []report.Filter) report.Question {
	return report.Question{SiteIDs: a.SiteIDs, Period: a.Period, Credit: a.Credit, By: by, Filters: filters, PersonWindow: a.PersonWindow}
}

// Zone is the name of the time zone.
func (a Asked) Zone() string {
	if a.Period.Zone == nil {
		return "UTC"
	}
	return a.Period.Zone.String()
}

// mistakes are the names of the words for what is wrong with what was asked.
var mistakes = []struct {
	err  error
	name string
}{
	{period.ErrDate, "asked.date"}, {period.ErrStep, "asked.step"}, {period.ErrReversed, "asked.reversed"}, {period.ErrFuture, "asked.future"}, {period.ErrLong, "asked.long"},
	{period.ErrParts, "asked.parts"}, {credit.ErrRule, "asked.credit"}, {report.ErrDimension, "asked.dimension"}, {report.ErrBy, "asked.twice"}, {report.ErrFilters, "asked.filters"},
}

// Mistake is the name of the words for the error; empty for one that is nobody's mistake.
func Mistake(err error) string {
	for _, m := range mistakes {
		if errors.Is(err, m.err) {
			return m.name
		}
	}
	return ""
}

// Value is the name in an address of the values of a report's row, and Part that of a part of its period.
const (
	Value = "v"
	Part  = "part"
)

// PartOf is how an address names the part that begins then.
func PartOf(start time.Time) string { return strconv.FormatInt(start.Unix(), 10) }

// PartAt is when the part begins that an address names.
func (a Asked) PartAt(name string) (start time.Time, known bool) {
	for _, part := range a.Period.Parts() {
		if PartOf(part.Start) == name {
			return part.Start, true
		}
	}
	return start, false
}

// Address is the path with the query, which takes the pairs of name and value. An empty value takes the name away. Values by which
// rows are named or filtered may be empty, though: what is not set is one of them.
func Address(path string, query url.Values, pairs ...string) string {
	changed := make(url.Values, len(query))
	for name, values := range query {
		if name == Value || wanted.IsFilter(name) || strings.Join(values, "") != "" {
			changed[name] = values
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		changed.Del(pairs[i])
		if pairs[i+1] != "" || pairs[i] == Value {
			changed.Set(pairs[i], pairs[i+1])
		}
	}
	if len(changed) == 0 {
		return path
	}
	return path + "?" + changed.Encode()
}

// Behind is the address of what is counted in the figure, or empty for a cost, of the report of the query with the pairs.
func Behind(query url.Values, key string, pairs ...string) string {
	if slices.Contains(OfCosts, key) { // nobody is behind a cost
		return ""
	}
	if key == Rate {
		key = report.Inquiries.String()
	}
	return Address("/reports/rows", query, append(pairs, "figure", key, "up", "")...)
}

// longest is how long a value of an address can be that says when and of what a report is.
const longest = 40

// Kept is the part of the query with the names, as links have it.
func Kept(query url.Values, names ...string) url.Values {
	kept := make(url.Values, len(names))
	for _, name := range names {
		if value := query.Get(name); value != "" && len(value) <= longest {
			kept.Set(name, value)
		}
	}
	return kept
}
