package reports

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/table"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/wanted"
)

const (
	// stepsAtEnd is how many steps at either end are shown of a path that has more than both have.
	stepsAtEnd = 3
)

// The names in an address of what paths lead to, and of a path that is looked into.
const (
	goalField = "goal"
	pathField = "path"
)

// pathsPage is which visits stood before sales or inquiries.
type pathsPage struct {
	asked
	paged
	Options options
	Today   string
	Goals   []frame.Option
	Shown   bool // there are paths; else the form alone, because it was not accepted
	Chips   []Chip
	Rows    []pathRow
	Unknown bool // a path is of inquiries whose visit is not known
}

// pathRow is a path as it is shown.
type pathRow struct {
	First, Last           []stepShown
	Between               int // steps that are not shown
	Count, Sales, Revenue string
	Days, Visits          string
	Link, SalesLink       string // to the inquiries, and to the sales
}

type stepShown struct {
	Name  string
	Times int
}

// goal is what the paths lead to: sales, if nothing else is asked for.
func (a asked) goal() (report.Metric, bool) {
	goal, known := report.MetricOf(cmp.Or(a.query.Get(goalField), report.Sales.String()))
	if !known || !slices.Contains(report.Goals, goal) {
		return report.Sales, false
	}
	return goal, true
}

// Goal is the name of the goal.
func (a asked) Goal() string {
	goal, _ := a.goal()
	return goal.String()
}

// Selling tells whether the paths lead to sales.
func (a asked) Selling() bool { return a.Goal() == report.Sales.String() }

// Paths is the address of the paths, by the dimension of the report if visits have it.
func (a asked) Paths() string {
	by := a.By
	if !slices.Contains(report.OfVisits, report.Dimension(by)) {
		by = string(report.Channel)
	}
	return figures.Address("/reports/paths", a.query, "by", by, "and", "")
}

// PathsExport is the address of the paths as a file.
func (a asked) PathsExport() string { return figures.Address("/reports/paths/export", a.query) }

// behindPath is the address of what the path led to of the goal; empty if there is none, and for those who may not see it.
func (a asked) behindPath(id string, goal report.Metric, count int) string {
	if !a.Opens || count == 0 {
		return ""
	}
	return figures.Address("/reports/rows", a.query, pathField, id, goalField, goal.String())
}

// Choices are the selects of the form by their names.
func (b pathsPage) Choices() map[string]choice {
	return map[string]choice{"span": {"span", b.Span, b.Options.Spans}, goalField: {goalField, b.Goal(), b.Goals}}
}

// OfVisits are the dimensions by which paths are, with the one that is chosen.
func (b pathsPage) OfVisits() grouped { return grouped{b.By, b.Options.Dimensions[:1]} }

// Without is the address without filters.
func (b pathsPage) Without() string { return figures.Address("/reports/paths", nil) }

// readPaths reads what is asked of paths.
func (c *room) readPaths(p frame.Page, query url.Values) (asked, error) {
	asking := make(url.Values, len(query))
	for name, values := range query {
		if name != "and" {
			asking[name] = values
		}
	}
	a, err := c.read(p, asking)
	if _, known := a.goal(); err == nil && (!known || !slices.Contains(report.OfVisits, report.Dimension(a.By))) {
		err = report.ErrDimension
	}
	return a, err
}

func (c *room) showPaths(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	a, err := c.readPaths(p, r.URL.Query())
	body := c.pathsPageOf(p, a)
	if err != nil {
		return c.refuse(w, p, body, err)
	}
	if err := c.fillPaths(r.Context(), p, &body); err != nil {
		return err
	}
	p.Body, p.Charts = body, true
	return c.Show(w, http.StatusOK, p)
}

// pathsPageOf is the page with its form alone.
func (c *room) pathsPageOf(p frame.Page, a asked) pathsPage {
	body := pathsPage{asked: a, Options: optionsOf(p), Today: a.today(c.Now())}
	for _, goal := range report.Goals {
		body.Goals = append(body.Goals, frame.Option{Value: goal.String(), Name: p.Words.Text("figure." + goal.String())})
	}
	return body
}

func (c *room) fillPaths(ctx context.Context, p frame.Page, body *pathsPage) error {
	goal, _ := body.goal()
	found, _, err := c.Reports.Paths(ctx, body.question(), goal)
	if err != nil {
		return err
	}
	names, err := c.names(ctx, p, body.asked)
	if err != nil {
		return err
	}
	body.Shown, body.Chips = true, body.chips(names)
	body.paged = pagedOf(&body.Page, len(found), func(page string) string { return figures.Address("/reports/paths", body.query, "page", page) })
	for i := range body.Chips {
		body.Chips[i].Without = figures.Address("/reports/paths", body.query, wanted.FilterName(body.Filters[i].Dimension), "")
	}
	for _, path := range found[body.Begin:body.Last()] {
		row := pathRowOf(names, path)
		row.First, row.Last, row.Between = body.shorten(names, path.Steps)
		row.Link, row.SalesLink = body.behindPath(path.ID, goal, path.Count), body.behindPath(path.ID, report.Sales, path.Sales)
		body.Unknown = body.Unknown || path.Steps[0].Value == report.Unknown
		body.Rows = append(body.Rows, row)
	}
	return nil
}

func pathRowOf(names figures.Names, path report.Path) pathRow {
	w := names.Words
	return pathRow{
		Count: w.Number(path.Count), Sales: w.Number(path.Sales), Revenue: figures.Written(w, report.Revenue.String(), path.Revenue),
		Days: figures.Written(w, "", path.Between.Hours()/24), Visits: figures.Written(w, "", path.Visits),
	}
}

// shorten are the steps as they are shown: if there are many, those at both ends.
func (a asked) shorten(names figures.Names, steps []report.Step) (first, last []stepShown, between int) {
	shown := make([]stepShown, len(steps))
	for i, s := range steps {
		shown[i] = stepShown{names.Of(a.dimensions()[0], s.Value), s.Times}
	}
	if between = len(steps) - 2*stepsAtEnd; between <= 0 {
		return shown, nil, 0
	}
	return shown[:stepsAtEnd], shown[len(shown)-stepsAtEnd:], between
}

// exportPaths sends all paths as a file.
func (c *room) exportPaths(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	a, err := c.readPaths(p, r.URL.Query())
	if err != nil {
		return c.refuse(w, p, c.pathsPageOf(p, a), err)
	}
	goal, _ := a.goal()
	found, _, err := c.Reports.Paths(r.Context(), a.question(), goal)
	if err != nil {
		return err
	}
	names, err := c.names(r.Context(), p, a)
	if err != nil {
		return err
	}
	head := c.HeadOf(p, "paths", []string{"paths.path", "figure." + goal.String(), "export.sales", "figure.revenue", "paths.days", "paths.visits"})
	head.Rows = len(found)
	return c.Tables.Send(w, r, head, func(out *table.Rows) error {
		for _, path := range found {
			err := out.Write(table.Text(a.written(names, path.Steps)), table.Count(path.Count), table.Count(path.Sales), table.Number(path.Revenue),
				table.Number(hundredths(path.Between.Hours()/24)), table.Number(hundredths(path.Visits)))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// written are the steps in a line.
func (a asked) written(names figures.Names, steps []report.Step) string {
	var line strings.Builder
	for i, s := range steps {
		if i > 0 {
			line.WriteString(" → ")
		}
		line.WriteString(names.Of(a.dimensions()[0], s.Value))
		if s.Times > 1 {
			line.WriteString(" ×" + strconv.Itoa(s.Times))
		}
	}
	return line.String()
}

func hundredths(n float64) float64 { return math.Round(n*100) / 100 }
