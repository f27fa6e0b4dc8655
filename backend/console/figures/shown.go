package figures

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/number"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/report"
)

// Rate is the name of the figure that is no metric: how many inquiries come of a visit.
const Rate = "rate"

// Figure is a figure as it is shown.
type Figure struct {
	Key    string // the metric's name, or Rate
	Value  string
	Count  float64
	Before string // what it was in the period beside; empty where none is shown
	Change string // from then to now
	Trend  string // "up", "down" or "same"; empty where there is no change to tell
	Good   bool   // the change is for the better
	Link   string // to what is counted; empty where it cannot be shown
	Line   string // points of its course; empty for none
}

// worse are the figures of which fewer are better.
var worse = map[string]bool{report.Missed.String(): true, report.Unanswered.String(): true, report.Spam.String(): true, report.Bots.String(): true,
	report.Scriptless.String(): true, report.Numberless.String(): true,
	report.Cost.String(): true, VisitCost: true, InquiryCost: true, CallCost: true, PersonCost: true, SaleCost: true}

// money are the figures that are sums of money, or are made of some.
var money = map[string]bool{report.Revenue.String(): true, report.Cost.String(): true, VisitCost: true, InquiryCost: true, CallCost: true, PersonCost: true, SaleCost: true, Return: true}

// The names of the figures of costs that are no metrics.
const (
	VisitCost   = "visit_cost"
	InquiryCost = "inquiry_cost"
	CallCost    = "call_cost"
	PersonCost  = "person_cost"
	SaleCost    = "sale_cost"
	Return      = "return" // revenue for the cost
)

// OfCosts are the figures of costs.
var OfCosts = []string{report.Cost.String(), VisitCost, InquiryCost, CallCost, PersonCost, SaleCost, Return}

// per are of what figures are the cost.
var per = map[string]report.Metric{VisitCost: report.Visits, InquiryCost: report.Inquiries, CallCost: report.Calls, PersonCost: report.Persons, SaleCost: report.Sales}

// Of is the figure of the name among the figures.
func Of(figures report.Figures, key string) float64 {
	if key == Rate {
		if figures[report.Visits] == 0 {
			return 0
		}
		return figures[report.Inquiries] / figures[report.Visits]
	}
	if of, is := per[key]; is {
		return ratio(figures[report.Cost], figures[of])
	}
	if key == Return {
		return ratio(figures[report.Revenue], figures[report.Cost])
	}
	m, known := report.MetricOf(key)
	if !known {
		return 0
	}
	return figures[m]
}

func ratio(of, to float64) float64 {
	if to == 0 {
		return 0
	}
	return of / to
}

// written is the figure of the name, which is none where there is nothing to divide by.
func written(w *words.Tongue, key string, of report.Figures) string {
	if m, is := per[key]; is && (of[m] == 0 || of[report.Cost] == 0) || key == Return && of[report.Cost] == 0 {
		return "–"
	}
	return Written(w, key, Of(of, key))
}

// Written is the figure of the name as the language writes it.
func Written(w *words.Tongue, key string, value float64) string {
	switch {
	case key == Rate || key == Return:
		return w.Percent(value)
	case money[key]:
		return w.Sum(value)
	}
	return w.Out.Sprint(number.Decimal(value, number.MaxFractionDigits(1)))
}

// New is the figure of the name, beside what it was, if that is not nil.
func New(w *words.Tongue, key string, now report.Figures, before *report.Figures) Figure {
	f := Figure{Key: key, Count: Of(now, key)}
	f.Value = written(w, key, now)
	if before == nil {
		return f
	}
	was := Of(*before, key)
	f.Before = written(w, key, *before)
	switch {
	case f.Count == was:
		f.Trend = "same"
	case was == 0: // of nothing there are no hundredths
		f.Trend = "up"
	default:
		share := f.Count/was - 1
		f.Change = w.Out.Sprint(number.Percent(math.Abs(share), number.MaxFractionDigits(0)))
		f.Trend = "up"
		if share < 0 {
			f.Trend = "down"
		}
	}
	f.Good = (f.Trend == "up") != worse[key]
	return f
}

// Best are the values that bring most inquiries, and most visits among equals, with these two figures: most of them at
// most. at is the place of the dimension among those of the rows. Visits of no campaign are none of one.
func Best(by report.Dimension, rows []report.Row, at, most int) (best []report.Row) {
	places := make(map[string]int)
	for _, r := range rows {
		value := r.Values[at]
		if value == report.Unknown || value == "" && by == report.Campaign {
			continue
		}
		place, known := places[value]
		if !known {
			place = len(best)
			places[value], best = place, append(best, report.Row{Values: []string{value}})
		}
		for _, m := range []report.Metric{report.Visits, report.Inquiries} { // which sum up
			best[place].Figures[m] += r.Figures[m]
		}
	}
	slices.SortFunc(best, func(a, b report.Row) int {
		return cmp.Or(cmp.Compare(b.Figures[report.Inquiries], a.Figures[report.Inquiries]), cmp.Compare(b.Figures[report.Visits], a.Figures[report.Visits]), cmp.Compare(a.Values[0], b.Values[0]))
	})
	return best[:min(most, len(best))]
}

// The ground on which a line is drawn.
const (
	lineWidth  = 96
	lineHeight = 24
)

// LineOf is the course of the figure over the parts, as the points of a line.
func LineOf(key string, parts []report.Figures) string {
	if len(parts) < 2 {
		return ""
	}
	most := 0.0
	for _, p := range parts {
		most = max(most, Of(p, key))
	}
	var b strings.Builder
	for i, p := range parts {
		y := float64(lineHeight - 1)
		if most > 0 {
			y -= Of(p, key) / most * (lineHeight - 2)
		}
		x := float64(i) * lineWidth / float64(len(parts)-1)
		b.WriteString(strconv.FormatFloat(x, 'f', 1, 64) + "," + strconv.FormatFloat(y, 'f', 1, 64) + " ")
	}
	return strings.TrimSuffix(b.String(), " ")
}
