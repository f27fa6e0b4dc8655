// Package reports is the part of the public API about figures: what was counted on sites, by any dimension, and what
// advertising has cost.
package reports

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Subjects are what the operations tell of.
type Subjects struct {
	Reports  *report.Reports
	Costs    *cost.Costs
	Overview *overview.Overview
	// Effective are the settings in effect for a site.
	Effective func(site.Site) site.Settings
}

type room struct {
	*frame.Frame
	Subjects
}

// Mount adds the operations.
func Mount(f *frame.Frame, s Subjects) {
	r := &room{f, s}
	frame.Add(f, frame.Operation{
		Method: "GET", Path: "reports", ID: "report", Subject: "Reports", Opens: token.ReadReports, Dear: true, Summary: "Ask for figures",
		Description: "What was counted on the sites from a day to a day: in all, by the parts of the time, and by at most two dimensions.",
		Mistakes:    askMistakes,
	}, r.ask)
	r.mountCosts()
	r.mountCostFiles()
	r.mountPaths()
	r.mountRows()
}

// askMistakes are those of who asks for figures.
var askMistakes = frame.Mistakes{
	report.ErrDimension: wrong, report.ErrBy: wrong, report.ErrFilters: wrong, credit.ErrRule: wrong,
	period.ErrDate: wrong, period.ErrStep: wrong, period.ErrReversed: wrong, period.ErrFuture: wrong, period.ErrLong: wrong, period.ErrParts: wrong, errZone: wrong,
	report.ErrPath: wrong,
}

const wrong = http.StatusUnprocessableEntity

// QuestionInput is what calls about figures ask.
type QuestionInput struct {
	Sites   []string `query:"site" maxItems:"50" doc:"The keys of sites, with commas between them; without them, all that the token opens."`
	First   string   `query:"first" required:"true" maxLength:"10" doc:"The first day." example:"2026-10-01"`
	Last    string   `query:"last" required:"true" maxLength:"10" doc:"The last day, which is within the time." example:"2026-10-31"`
	Step    string   `query:"step" enum:"hour,day,week,month" default:"day" doc:"How long the parts are."`
	Zone    string   `query:"zone" maxLength:"64" doc:"The time zone in which days begin, such as Europe/Moscow; without it, that of the site, or UTC for several."`
	By      []string `query:"by" maxItems:"2" enum:"channel,source,medium,campaign,content,keyword,referrer,landing,device,browser,language,country,area,city,kind,page,number,pool,operator,group,form,event,hour,weekday" doc:"Dimensions, with a comma between them."`
	Filters []string `query:"filter,explode" maxItems:"50" doc:"A dimension and a value, such as campaign=spring. Values of one dimension are alternatives, and of different ones all hold."`
	Model   string   `query:"model" enum:"first,last,last_nondirect,linear,position,decay" default:"last_nondirect" doc:"How an inquiry is shared among the visits before it."`
	Window  int      `query:"window" minimum:"1" maximum:"90" default:"30" doc:"How many days before an inquiry its visits count."`
}

type askInput struct {
	QuestionInput
	Sort  string `query:"sort" enum:"visits,visitors,views,new,bots,inquiries,calls,requests,chats,callbacks,persons,missed,unanswered,sales,revenue,spam,cost,scriptless,numberless,events,value" default:"inquiries" doc:"The figure by which the rows are in order, the most first."`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many rows there are at most."`
}

// Figures are what was counted, by its name. Sums of money are in the site's currency. What is shared among visits has
// parts.
type Figures map[string]float64

// ReportPart is an hour, a day, a week or a month, or what of it is within the time.
type ReportPart struct {
	Start   time.Time `json:"start"`
	End     time.Time `json:"end" doc:"The first instant after it."`
	Figures Figures   `json:"figures"`
}

// ReportRow are the figures of one value, or of two together.
type ReportRow struct {
	Values  []string `json:"values" nullable:"false" doc:"Of the dimensions, in their order. What is not known is a text that begins with the character U+0000."`
	Figures Figures  `json:"figures"`
}

type askOutput struct {
	Body struct {
		Total    Figures      `json:"total"`
		Parts    []ReportPart `json:"parts" nullable:"false"`
		Rows     []ReportRow  `json:"rows" nullable:"false"`
		Count    int          `json:"count" doc:"How many rows there are, those behind the limit too."`
		Until    time.Time    `json:"until" doc:"Up to when what happened is counted."`
		HasCosts bool         `json:"has_costs" doc:"The sites have costs of advertising, and these have the dimensions."`
	}
}

var errZone = errors.New("expected a time zone such as Europe/Moscow")

// sites are those of the keys, or all that the caller has and that are served.
func (r *room) sites(ctx context.Context, keys []string) (sites []site.Site, err error) {
	if len(keys) == 0 {
		all, err := r.Sites.List(ctx)
		of := frame.Caller(ctx).Sites
		return slices.DeleteFunc(slices.Clone(all), func(s site.Site) bool { return !of.Has(s.ID) || !s.RetiredAt.IsZero() }), err
	}
	for _, key := range keys {
		s, err := r.Site(ctx, key)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(sites, func(other site.Site) bool { return other.ID == s.ID }) {
			sites = append(sites, s)
		}
	}
	return sites, nil
}

// question is what the call asks.
func (r *room) question(ctx context.Context, in *QuestionInput) (q report.Question, err error) {
	sites, err := r.sites(ctx, in.Sites)
	if err != nil {
		return q, err
	}
	zone := time.UTC
	for _, s := range sites {
		set := r.Effective(s)
		q.SiteIDs, q.PersonWindow = append(q.SiteIDs, s.ID), max(q.PersonWindow, set.PersonWindow())
		if len(sites) == 1 {
			zone = set.Zone()
		}
	}
	if in.Zone != "" {
		if err := site.CheckTimezone(in.Zone); err != nil {
			return q, errZone
		}
		if zone, err = time.LoadLocation(in.Zone); err != nil {
			return q, errZone
		}
	}
	if q.Period, err = period.Read(in.First, in.Last, in.Step, zone, r.Now()); err != nil {
		return q, err
	}
	q.Credit = credit.Rule{Model: credit.Model(in.Model), Window: time.Duration(in.Window) * 24 * time.Hour}
	for _, by := range in.By {
		q.By = append(q.By, report.Dimension(by))
	}
	for _, said := range in.Filters {
		name, value, found := strings.Cut(said, "=")
		if !found {
			return q, report.ErrFilters
		}
		at := slices.IndexFunc(q.Filters, func(f report.Filter) bool { return f.Dimension == report.Dimension(name) })
		if at < 0 {
			at = len(q.Filters)
			q.Filters = append(q.Filters, report.Filter{Dimension: report.Dimension(name)})
		}
		q.Filters[at].Values = append(q.Filters[at].Values, value)
	}
	return q, q.Check()
}

func (r *room) ask(ctx context.Context, in *askInput) (*askOutput, error) {
	q, err := r.question(ctx, &in.QuestionInput)
	if err != nil {
		return nil, err
	}
	answer, err := r.Reports.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	by, _ := report.MetricOf(in.Sort)
	rows := slices.Clone(answer.Rows)
	slices.SortFunc(rows, func(a, b report.Row) int {
		switch {
		case a.Figures[by] > b.Figures[by]:
			return -1
		case a.Figures[by] < b.Figures[by]:
			return 1
		}
		return slices.Compare(a.Values, b.Values)
	})
	out := new(askOutput)
	out.Body.Total, out.Body.Until, out.Body.Count, out.Body.HasCosts = figuresOf(answer.Total), answer.Until.UTC(), len(rows), answer.Costs
	parts := q.Period.Parts()
	out.Body.Parts = make([]ReportPart, len(answer.Parts))
	for i, figures := range answer.Parts {
		out.Body.Parts[i] = ReportPart{Start: parts[i].Start, End: parts[i].End, Figures: figuresOf(figures)}
	}
	out.Body.Rows = make([]ReportRow, 0, min(len(rows), in.Limit))
	for _, row := range rows[:min(len(rows), in.Limit)] {
		out.Body.Rows = append(out.Body.Rows, ReportRow{Values: append([]string{}, row.Values...), Figures: figuresOf(row.Figures)})
	}
	return out, nil
}

// figuresOf are the figures that are not zero.
func figuresOf(f report.Figures) Figures {
	told := make(Figures)
	for i, figure := range f {
		if figure != 0 && !math.IsNaN(figure) && !math.IsInf(figure, 0) {
			told[report.Metrics[i]] = figure
		}
	}
	return told
}
