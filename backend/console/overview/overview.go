package overview

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/wanted"
)

// shown are the figures of the page.
var shown = []string{"visits", "visitors", "inquiries", figures.Rate, "calls", "requests", "chats", "callbacks", "persons", "missed", "sales", "revenue"}

// withCosts are those of sites that have costs.
var withCosts = append(slices.Clip(shown), report.Cost.String(), figures.InquiryCost, figures.Return)

// bestOf is how many rows a list of the best has.
const bestOf = 7

// overviewPage is the overview.
type overviewPage struct {
	figures.Asked
	Spans   []frame.Tab
	Figures []figures.Figure
	Tabs    map[string]string // where the chart of a figure is, by the figure
	Drawn   string            // the figure of the chart
	Course  figures.Course
	Bests   []best
	Needs   []need
	Whole   string // address of the report
}

// best is a list of the sources, campaigns or pages that bring most.
type best struct {
	Title string // name of the words
	By    report.Dimension
	Whole string // address of the whole report
	Rows  []bestRow
}

type bestRow struct {
	Name, Link        string
	Visits, Inquiries figures.Figure
}

func (c *room) show(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	query := r.URL.Query()
	asked, err := figures.Read(c.Frame, p, query, c.Now())
	if mistake := figures.Mistake(err); mistake != "" { // there is no form to mend, and the usual time is never wrong
		p.Problem = p.Words.Text(mistake)
		query = url.Values{frame.SiteField: query[frame.SiteField]}
		asked, err = figures.Read(c.Frame, p, query, c.Now())
	}
	if err != nil {
		return err
	}
	query = figures.Kept(query, frame.SiteField, "span", "from", "to", "figure")
	body := overviewPage{Asked: asked, Drawn: query.Get("figure"), Tabs: make(map[string]string), Whole: figures.Address("/reports", address(query))}
	if !slices.Contains(body.Sums(withCosts), body.Drawn) {
		body.Drawn = shown[0]
	}
	for _, s := range figures.Spans {
		if s.Value != wanted.Own {
			body.Spans = append(body.Spans, frame.Tab{Option: frame.Option{Value: s.Value, Name: p.Words.Text(s.Name)}, Link: figures.Address("/overview", query, "span", s.Value), Current: s.Value == asked.Span})
		}
	}
	total, err := c.fill(r.Context(), p, query, &body)
	if err != nil {
		return err
	}
	if p.SeesPersons() { // else there is nobody to answer
		if body.Needs, err = c.needs(r.Context(), p, query, total); err != nil {
			return err
		}
	}
	p.Body, p.Charts = body, true
	return c.Show(w, http.StatusOK, p)
}

// address is the part of the query that a report takes.
func address(query url.Values) url.Values {
	return figures.Kept(query, frame.SiteField, "span", "from", "to")
}

// fill asks for the figures, and fills in what the page shows of them. It returns those of the whole period.
func (c *room) fill(ctx context.Context, p frame.Page, query url.Values, body *overviewPage) (report.Figures, error) {
	// Sources and campaigns are counted at once.
	now, err := c.Reports.Ask(ctx, body.Question([]report.Dimension{report.Source, report.Campaign}, nil))
	if err != nil {
		return now.Total, err
	}
	pages, err := c.Reports.Ask(ctx, body.Question([]report.Dimension{report.Landing}, nil))
	if err != nil {
		return now.Total, err
	}
	var before *report.Answer
	var was *report.Figures
	if beside, any := body.Compared(); any {
		q := body.Question(nil, nil)
		q.Period = beside
		found, err := c.Reports.Ask(ctx, q)
		if err != nil {
			return now.Total, err
		}
		before, was = &found, &found.Total
	}
	kept := address(query)
	behind := func(key string, pairs ...string) string {
		if !p.SeesPersons() {
			return ""
		}
		return figures.Behind(kept, key, pairs...)
	}
	p.Words = p.Words.In(body.Currency)
	keys := shown
	if now.Costs {
		keys = withCosts
	}
	for _, key := range body.Sums(keys) {
		f := figures.New(p.Words, key, now.Total, was)
		f.Line = figures.LineOf(key, now.Parts)
		f.Link = behind(key)
		body.Figures = append(body.Figures, f)
		body.Tabs[key] = figures.Address("/overview", query, "figure", key)
	}
	body.Course = figures.CourseOf(p.Words, body.Drawn, body.Period, c.Now(), now.Parts, before)
	body.Course.LinkTo(behind(body.Drawn))
	body.Bests = []best{
		bestIn(p.Words, kept, behind, "overview.sources", report.Source, now.Rows, 0),
		bestIn(p.Words, kept, behind, "overview.campaigns", report.Campaign, now.Rows, 1),
		bestIn(p.Words, kept, behind, "overview.pages", report.Landing, pages.Rows, 0),
	}
	return now.Total, nil
}

// bestIn are the values of the dimension that bring most inquiries, and most visits among equals.
func bestIn(w *words.Tongue, kept url.Values, behind func(key string, pairs ...string) string, title string, by report.Dimension, rows []report.Row, at int) best {
	b := best{Title: title, By: by, Whole: figures.Address("/reports", kept, "by", string(by))}
	names := figures.Names{Words: w}
	for _, r := range figures.Best(by, rows, at, bestOf) {
		value := r.Values[0]
		row := bestRow{
			Name: names.Of(by, value), Link: figures.Address("/reports", kept, "by", string(by), wanted.FilterName(by), value),
			Visits: figures.New(w, "visits", r.Figures, nil), Inquiries: figures.New(w, "inquiries", r.Figures, nil),
		}
		row.Visits.Link = behind("visits", "by", string(by), "v", value)
		row.Inquiries.Link = behind("inquiries", "by", string(by), "v", value)
		b.Rows = append(b.Rows, row)
	}
	return b
}
