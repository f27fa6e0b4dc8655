// Package handouts is the part of the public API about reports that are kept and handed out: those that operators share,
// links for people without an account, and figures by mail.
package handouts

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/report/wanted"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Subjects are what the operations tell of.
type Subjects struct {
	Saved     *saved.Reports
	Links     *link.Links
	Bulletins *bulletin.Bulletins
	Operators *operator.Operators
	// HasMail tells whether mails can be sent.
	HasMail func() bool
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
	r.mountSaved()
	r.mountLinks()
	r.mountBulletins()
}

const (
	notFound = http.StatusNotFound
	conflict = http.StatusConflict
	wrong    = http.StatusUnprocessableEntity
)

// ReportQuestion is what a report asks.
type ReportQuestion struct {
	Span    string   `json:"span,omitempty" enum:"today,yesterday,7,28,90,month,last_month,year,own" default:"28" doc:"The time, which moves on from day to day: so many days, a month or a year up to today. With own, it is from first to last."`
	First   string   `json:"first,omitempty" maxLength:"10" doc:"The first day of own." example:"2026-10-01"`
	Last    string   `json:"last,omitempty" maxLength:"10" doc:"The last day of own."`
	Step    string   `json:"step,omitempty" enum:"hour,day,week,month" doc:"How long the parts are; without it, as fits the time."`
	By      []string `json:"by" nullable:"false" minItems:"1" maxItems:"2" doc:"Dimensions, as those of figures that are asked for." example:"source"`
	Filters []string `json:"filters,omitempty" nullable:"false" maxItems:"50" doc:"A dimension and a value, such as campaign=spring. Values of one dimension are alternatives, and of different ones all hold."`
	Model   string   `json:"model,omitempty" enum:"first,last,last_nondirect,linear,position,decay" default:"last_nondirect" doc:"How an inquiry is shared among the visits before it."`
	Window  int      `json:"window,omitempty" minimum:"1" maximum:"90" default:"30" doc:"How many days before an inquiry its visits count."`
	Figure  string   `json:"figure,omitempty" maxLength:"40" pattern:"^[a-z_]*$" doc:"The figure that is drawn, and by which the rows are in order."`
}

// questionOf is what the query of a report's address asks.
func questionOf(query string) ReportQuestion {
	values, _ := url.ParseQuery(query) // what does not parse was checked when it was stored
	q := ReportQuestion{
		Span: cmp.Or(values.Get("span"), wanted.DefaultSpan), First: values.Get("from"), Last: values.Get("to"), Step: values.Get("step"), By: []string{cmp.Or(values.Get("by"), string(report.Source))},
		Model: cmp.Or(values.Get("model"), string(credit.LastNotDirect)), Window: 30, Figure: values.Get("figure"), Filters: []string{},
	}
	if and := values.Get("and"); and != "" {
		q.By = append(q.By, and)
	}
	if days, err := strconv.Atoi(values.Get("window")); err == nil {
		q.Window = days
	}
	filters, _ := wanted.Filters(values)
	for _, f := range filters {
		for _, value := range f.Values {
			q.Filters = append(q.Filters, string(f.Dimension)+"="+value)
		}
	}
	return q
}

// values are what the question is as the query of an address.
func (q ReportQuestion) values() (url.Values, error) {
	values := make(url.Values)
	set := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	set("span", q.Span)
	if q.Span == wanted.Own {
		set("from", q.First)
		set("to", q.Last)
	}
	set("step", q.Step)
	set("by", q.By[0])
	if len(q.By) > 1 {
		set("and", q.By[1])
	}
	set("model", q.Model)
	set("figure", q.Figure)
	if q.Window != 0 {
		set("window", strconv.Itoa(q.Window))
	}
	for _, said := range q.Filters {
		name, value, found := strings.Cut(said, "=")
		if !found {
			return nil, report.ErrFilters
		}
		values.Add(wanted.FilterName(report.Dimension(name)), value)
	}
	return values, nil
}

var errPersons = errors.New("a link is to no report that names people, pools or events")

// query is the question as it is kept, of the site or, with the zero one, of all. isOutside says that a link is to hand it
// out. The error is the answer to a wrong one.
func (r *room) query(of site.Site, q ReportQuestion, isOutside bool) (string, error) {
	values, err := q.values()
	if err != nil {
		return "", frame.Wrong("body.question.filters", err, nil)
	}
	filters, err := wanted.Filters(values)
	if err != nil {
		return "", frame.Wrong("body.question.filters", err, nil)
	}
	asked := report.Question{Filters: filters}
	for _, by := range q.By {
		asked.By = append(asked.By, report.Dimension(by))
	}
	zone := time.UTC
	if of.ID != 0 {
		set := r.Effective(of)
		zone = set.Zone()
	}
	if _, _, _, err = wanted.PeriodOf(q.Span, q.First, q.Last, q.Step, zone, r.Now()); err == nil {
		asked.Credit, err = wanted.RuleOf(q.Model, values.Get("window"))
	}
	if err == nil {
		err = asked.Check()
	}
	if slices.ContainsFunc(mistakesOfQuestions, func(m error) bool { return errors.Is(err, m) }) {
		return "", frame.Wrong("body.question", err, nil)
	}
	if err == nil && isOutside && !wanted.IsForOutside(asked.By, filters) {
		return "", frame.Wrong("body.question", errPersons, nil)
	}
	values.Set("site", strconv.FormatInt(of.ID, 10))
	return values.Encode(), err
}

var mistakesOfQuestions = []error{
	report.ErrDimension, report.ErrBy, report.ErrFilters, credit.ErrRule, period.ErrDate, period.ErrStep, period.ErrReversed, period.ErrFuture, period.ErrLong, period.ErrParts,
}
