package reports

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/wanted"
)

const (
	// rowsOfPage is how many rows a page of a report has, and mostPages how many pages.
	rowsOfPage = 100
	mostPages  = 100_000
)

// reportPage is a report.
type reportPage struct {
	asked
	paged
	Shown   bool // there are figures; else the form alone, because it was not accepted
	Options options
	Today   string
	Chips   []Chip
	Figures []figures.Figure
	Course  figures.Course
	Columns []column
	Rows    []row
	Total   []figures.Figure
	Heat    []figures.HeatRow
	Empty   bool
	Unknown bool // a row is of inquiries whose visit is not known
	// Placeless tells that the rows are of places, and no place is known.
	Placeless bool
	Saved     []savedRow
	Lasting   string // the query as it is saved
}

// column is the head of a figure's column.
type column struct {
	Key, Link string
	Sort      string // aria-sort; empty for one by which the rows are not sorted
}

// row is what was counted of one value, or of two together.
type row struct {
	Values  []value
	Figures []figures.Figure
}

type value struct{ Name, Link string }

func (c *room) showReport(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	query := r.URL.Query()
	a, err := c.read(p, query)
	if err != nil {
		return c.refuse(w, p, reportPage{asked: a, Options: optionsOf(p), Today: a.today(c.Now())}, err)
	}
	return c.report(w, r, p, a, "")
}

// report shows what is asked for, with the problem of a form about it.
func (c *room) report(w http.ResponseWriter, r *http.Request, p frame.Page, a asked, problem string) error {
	body := reportPage{asked: a, Options: optionsOf(p), Today: a.today(c.Now())}
	if err := c.fill(r.Context(), p, &body); err != nil {
		return err
	}
	var err error
	if body.Saved, err = c.savedRows(r, p); err != nil {
		return err
	}
	_, lasting := a.lasting(p)
	body.Lasting = lasting.Encode()
	p.Body, p.Charts, p.Problem, p.Here = body, true, problem, a.Link()
	return c.Show(w, statusOf(problem), p)
}

// refuse says what is wrong with what was asked, and keeps the form.
func (c *room) refuse(w http.ResponseWriter, p frame.Page, body any, err error) error {
	mistake := figures.Mistake(err)
	if mistake == "" {
		return err
	}
	p.Problem, p.Body, p.Charts = p.Words.Text(mistake), body, true
	return c.Show(w, http.StatusUnprocessableEntity, p)
}

// answers are what was found for the period, and for the one beside it, which may be none.
func (c *room) answers(ctx context.Context, a asked) (now report.Answer, before *report.Answer, err error) {
	if now, err = c.Reports.Ask(ctx, a.question()); err != nil {
		return now, nil, err
	}
	beside, any := a.Compared()
	if !any {
		return now, nil, nil
	}
	q := a.question()
	q.Period = beside
	was, err := c.Reports.Ask(ctx, q)
	return now, &was, err
}

// fill asks, and fills in what the page shows.
func (c *room) fill(ctx context.Context, p frame.Page, body *reportPage) error {
	p.Words = p.Words.In(body.Currency)
	now, before, err := c.answers(ctx, body.asked)
	if err != nil {
		return err
	}
	body.costless = !now.Costs
	names, err := c.names(ctx, p, body.asked)
	if err != nil {
		return err
	}
	body.Shown, body.Chips = true, body.chips(names)
	var was *report.Figures
	if before != nil {
		was = &before.Total
	}
	shown := body.shownColumns(now.Total)
	for _, key := range shown {
		f := figures.New(p.Words, key, now.Total, was)
		f.Link, f.Line = body.behind(key), figures.LineOf(key, now.Parts)
		body.Figures = append(body.Figures, f)
	}
	for _, key := range rowColumns(shown) {
		col := column{Key: key, Link: body.SortLink(key)}
		if key == body.Figure {
			col.Sort = "descending"
			if body.Up {
				col.Sort = "ascending"
			}
		}
		body.Columns = append(body.Columns, col)
	}
	body.Course = figures.CourseOf(p.Words, body.Figure, body.Period, c.Now(), now.Parts, before)
	body.Course.LinkTo(body.behind(body.Figure))
	body.Empty = len(now.Rows) == 0
	body.Placeless = body.isPlaceless(now.Rows)
	if heat, is := figures.HeatOf(p.Words, body.Figure, body.dimensions(), now.Rows, body.behind); is {
		body.Heat = heat
		return nil
	}
	body.paged = pagedOf(&body.Page, len(now.Rows), func(page string) string { return body.Link("page", page) })
	body.sorted(now.Rows)
	body.show(names, now.Rows, before)
	return nil
}

// isPlaceless tells whether the rows are by a place, and none has one.
func (a asked) isPlaceless(rows []report.Row) bool {
	for i, d := range a.dimensions() {
		if d == report.Country || d == report.Area || d == report.City {
			return !slices.ContainsFunc(rows, func(r report.Row) bool { return r.Values[i] != "" && r.Values[i] != report.Unknown })
		}
	}
	return false
}

// sorted are the rows in their order.
func (a asked) sorted(rows []report.Row) []report.Row {
	slices.SortFunc(rows, func(x, y report.Row) int {
		by := cmp.Compare(figures.Of(y.Figures, a.Figure), figures.Of(x.Figures, a.Figure))
		if a.Up {
			by = -by
		}
		return cmp.Or(by, slices.Compare(x.Values, y.Values))
	})
	return rows
}

// paged is which of a list's rows a page shows.
type paged struct {
	Begin, Of      int // the first of them, counted from 0, and how many rows there are in all
	Earlier, Later string
}

// pagedOf is what the page shows of so many rows. A page behind the last one is that one.
func pagedOf(page *int, of int, link func(page string) string) paged {
	*page = min(*page, max(1, (of+rowsOfPage-1)/rowsOfPage))
	p := paged{Begin: (*page - 1) * rowsOfPage, Of: of}
	if *page > 1 {
		p.Earlier = link(strconv.Itoa(*page - 1))
	}
	if p.Last() < of {
		p.Later = link(strconv.Itoa(*page + 1))
	}
	return p
}

// First and Last are the first and the last row of the page, counted from 1.
func (p paged) First() int { return p.Begin + 1 }
func (p paged) Last() int  { return min(p.Begin+rowsOfPage, p.Of) }

// show fills in the rows of the page.
func (b *reportPage) show(names figures.Names, rows []report.Row, before *report.Answer) {
	earlier := make(map[string]*report.Figures)
	if before != nil {
		for i := range before.Rows {
			earlier[strings.Join(before.Rows[i].Values, "\x01")] = &before.Rows[i].Figures
		}
	}
	by := b.dimensions()
	for _, found := range rows[b.Begin:b.Last()] {
		shown := row{}
		for i, v := range found.Values {
			shown.Values = append(shown.Values, value{names.Of(by[i], v), b.narrowed(by[i], v)})
			b.Unknown = b.Unknown || v == report.Unknown
		}
		var was *report.Figures
		if before != nil {
			if was = earlier[strings.Join(found.Values, "\x01")]; was == nil {
				was = new(report.Figures)
			}
		}
		for _, col := range b.Columns {
			key, beside := col.Key, was
			if key != b.Figure { // one change a row is enough to look at
				beside = nil
			}
			f := figures.New(names.Words, key, found.Figures, beside)
			if f.Count != 0 {
				f.Link = b.behind(key, found.Values...)
			}
			shown.Figures = append(shown.Figures, f)
		}
		b.Rows = append(b.Rows, shown)
	}
}

// narrowed is the report of what has the value alone.
func (a asked) narrowed(d report.Dimension, value string) string {
	query := maps.Clone(a.query)
	query[wanted.FilterName(d)] = []string{value}
	return figures.Address("/reports", query)
}

// names are those by which operators and groups are shown, if the report has any.
func (c *room) names(ctx context.Context, p frame.Page, a asked) (n figures.Names, err error) {
	n = figures.Names{Words: p.Words, Outside: a.Outside, Operators: make(map[string]string), Groups: make(map[string]string)}
	has := func(d report.Dimension) bool {
		return slices.Contains(a.dimensions(), d) || slices.ContainsFunc(a.Filters, func(f report.Filter) bool { return f.Dimension == d })
	}
	if has(report.Operator) {
		staff, err := c.StaffOf(ctx, p)
		if err != nil {
			return n, err
		}
		for _, o := range staff {
			n.Operators[strconv.FormatInt(o.ID, 10)] = o.Label()
		}
	}
	if !has(report.Group) {
		return n, nil
	}
	for _, site := range a.SiteIDs {
		groups, err := c.Groups.Of(ctx, site)
		if err != nil {
			return n, err
		}
		for _, g := range groups {
			n.Groups[strconv.FormatInt(g.ID, 10)] = g.Name
		}
	}
	return n, nil
}
