package reports

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/wanted"
)

// asked is what a report is asked for: when, of which sites, by what, which figure is drawn, and how the rows are sorted.
type asked struct {
	figures.Asked
	By, And string
	Figure  string // that is drawn, and by which the rows are sorted
	Up      bool   // the least first
	Page    int    // from 1
	Filters []report.Filter
	Opens   bool // who looks may see what is behind the figures
	Outside bool // who looks has a link, and no account
	// costless tells that the answer has no costs.
	costless bool
	query    url.Values
}

// kept are the names of an address that are kept in the addresses of a page's links.
var kept = []string{frame.SiteField, "span", "from", "to", "step", "beside", "model", "window", "by", "and", "figure", "up", goalField}

func (c *room) read(p frame.Page, query url.Values) (asked, error) {
	a := asked{By: cmp.Or(query.Get("by"), string(report.Source)), And: query.Get("and"), Figure: query.Get("figure"), Up: query.Has("up"), Page: 1, Opens: p.SeesPersons(), query: figures.Kept(query, kept...)}
	if p.SiteID != 0 { // so that the address means the same to a colleague
		a.query.Set(frame.SiteField, strconv.FormatInt(p.SiteID, 10))
	}
	if page, err := strconv.Atoi(query.Get("page")); err == nil && page > 1 {
		a.Page = min(page, mostPages)
	}
	filters, wrong := wanted.Filters(query)
	a.Filters = filters
	for _, f := range a.Filters {
		a.query[wanted.FilterName(f.Dimension)] = f.Values
	}
	var err error
	if a.Asked, err = figures.Read(c.Frame, p, query, c.Now()); err != nil {
		return a, err
	}
	if wrong != nil {
		return a, wrong
	}
	if !slices.Contains(a.columns(), a.Figure) {
		a.Figure = a.columns()[0]
	}
	return a, a.question().Check()
}

// dimensions are those by which the rows are.
func (a asked) dimensions() (by []report.Dimension) {
	for _, d := range []string{a.By, a.And} {
		if d != "" {
			by = append(by, report.Dimension(d))
		}
	}
	return by
}

// Heads are the names of the dimensions.
func (a asked) Heads() []report.Dimension { return a.dimensions() }

func (a asked) question() report.Question { return a.Question(a.dimensions(), a.Filters) }

// has tells whether the rows or the filters are by one of the dimensions.
func (a asked) has(dimensions []report.Dimension) bool {
	is := func(d report.Dimension) bool { return slices.Contains(dimensions, d) }
	return slices.ContainsFunc(a.dimensions(), is) || slices.ContainsFunc(a.Filters, func(f report.Filter) bool { return is(f.Dimension) })
}

// The figures of a report, by whether they are of visits too.
var (
	inquiryColumns = []string{"inquiries", "persons", "calls", "requests", "chats", "callbacks", "missed", "unanswered", "sales", "revenue", "spam"}
	visitColumns   = append([]string{"visits", "visitors", "new", "views", "inquiries", figures.Rate}, append(inquiryColumns[1:len(inquiryColumns):len(inquiryColumns)], "events", "value", "bots", "scriptless", "numberless")...)
	eventColumns   = []string{"events", "value"}
	// rare are the figures that are shown where there are any.
	rare = []string{"events", "value", "scriptless", "numberless"}
	// besideRows are those that are not told of each row.
	besideRows = []string{"spam", "bots", "scriptless", "numberless"}
)

func (a asked) columns() []string {
	columns := visitColumns
	switch {
	case a.has(report.OfEvents):
		return eventColumns
	case a.has(report.OfInquiries):
		columns = inquiryColumns
	}
	if !a.costless && a.question().Costed() {
		columns = slices.Concat(columns, figures.OfCosts)
	}
	return a.Sums(columns)
}

// shownColumns are those of the columns that are shown where all together are the total: rare ones of which there is nothing are left out.
func (a asked) shownColumns(total report.Figures) []string {
	return slices.DeleteFunc(slices.Clone(a.columns()), func(key string) bool {
		return slices.Contains(rare, key) && !a.has(report.OfEvents) && key != a.Figure && figures.Of(total, key) == 0
	})
}

// rowColumns are those of a table's rows among the shown ones: what is told beside is left out.
func rowColumns(shown []string) []string {
	return slices.DeleteFunc(slices.Clone(shown), func(key string) bool { return slices.Contains(besideRows, key) })
}

// Link is the address of the report with the changes, and its first page.
func (a asked) Link(pairs ...string) string { return figures.Address("/reports", a.query, pairs...) }

// Export is the address of the report as a file.
func (a asked) Export() string { return figures.Address("/reports/export", a.query) }

// Own tells whether the days are those of the address.
func (a asked) Own() bool { return a.Span == wanted.Own }

// SortLink is the address at which the rows are sorted by the figure, the most first and then the least.
func (a asked) SortLink(figure string) string {
	up := ""
	if figure == a.Figure && !a.Up {
		up = "1"
	}
	return a.Link("figure", figure, "up", up)
}

// behind is the address of what is counted in the figure of the values, or of all if there are none. It is empty for those
// who may not see it.
func (a asked) behind(key string, values ...string) string {
	if !a.Opens {
		return ""
	}
	address := figures.Behind(a.query, key)
	if address == "" {
		return ""
	}
	for _, v := range values {
		address += "&" + url.Values{figures.Value: {v}}.Encode()
	}
	return address
}

// Chip is a filter as it is shown.
type Chip struct{ Name, Value, Without string }

func (a asked) chips(n figures.Names) (chips []Chip) {
	for _, f := range a.Filters {
		var values []string
		for _, v := range f.Values {
			values = append(values, n.Of(f.Dimension, v))
		}
		chips = append(chips, Chip{n.Words.Text("by." + string(f.Dimension)), strings.Join(values, ", "), a.Link(wanted.FilterName(f.Dimension), "")})
	}
	return chips
}

// Windows are the numbers of days before an inquiry in which its visits count.
func (asked) Windows() []string { return []string{"1", "7", "14", "30", "60", "90"} }

// today is the day in the report's zone, for the fields of days.
func (a asked) today(now time.Time) string {
	if a.Period.Zone != nil {
		now = now.In(a.Period.Zone)
	}
	return now.Format(time.DateOnly)
}
