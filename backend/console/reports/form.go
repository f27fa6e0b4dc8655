package reports

import (
	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
)

// options are what the form's selects offer.
type options struct {
	Spans, Steps, Beside, Models []frame.Option
	Dimensions                   []group
}

// choice is a select of the form, with what is chosen.
type choice struct {
	Name, Is string
	Of       []frame.Option
}

// Choices are the selects of the form by their names.
func (b reportPage) Choices() map[string]choice {
	return map[string]choice{
		"span": {"span", b.Span, b.Options.Spans}, "step": {"step", b.Step, b.Options.Steps},
		"beside": {"beside", b.Beside, b.Options.Beside}, "model": {"model", b.Model, b.Options.Models},
	}
}

// grouped are the dimensions, with the one that is chosen.
type grouped struct {
	Is string
	Of []group
}

// Grouped are the dimensions for the form's two selects of them.
func (b reportPage) Grouped(is string) grouped { return grouped{is, b.Options.Dimensions} }

// Hours are those of a day, for the heads of a map.
func (reportPage) Hours() (hours [24]int) {
	for i := range hours {
		hours[i] = i
	}
	return hours
}

type group struct {
	Name    string
	Options []frame.Option
}

func optionsOf(p frame.Page) (o options) {
	named := func(name, value string) frame.Option {
		return frame.Option{Value: value, Name: p.Words.Text(name)}
	}
	for _, s := range figures.Spans {
		o.Spans = append(o.Spans, named(s.Name, s.Value))
	}
	o.Steps = append(o.Steps, named("step.auto", ""))
	for _, s := range period.Steps {
		o.Steps = append(o.Steps, named("step."+string(s), string(s)))
	}
	for _, b := range []string{figures.Before, figures.YearBefore, figures.Nothing} {
		o.Beside = append(o.Beside, named("beside."+b, b))
	}
	for _, m := range credit.Models {
		o.Models = append(o.Models, named("credit."+string(m), string(m)))
	}
	for _, g := range []struct {
		name string
		of   []report.Dimension
	}{{"reports.ofVisits", report.OfVisits}, {"reports.ofInquiries", report.OfInquiries}, {"reports.ofEvents", report.OfEvents}, {"reports.ofTime", report.OfTime}} {
		shown := group{Name: p.Words.Text(g.name)}
		for _, d := range g.of {
			shown.Options = append(shown.Options, named("by."+string(d), string(d)))
		}
		o.Dimensions = append(o.Dimensions, shown)
	}
	return o
}
