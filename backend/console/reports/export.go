package reports

import (
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/table"
)

// export sends all rows of the report as a table.
func (c *room) export(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	a, err := c.read(p, r.URL.Query())
	if err != nil {
		return c.refuseRows(w, p, a, err)
	}
	return c.send(w, r, p, a)
}

// send sends all rows of the report that is asked for.
func (c *room) send(w http.ResponseWriter, r *http.Request, p frame.Page, a asked) error {
	now, err := c.Reports.Ask(r.Context(), a.question())
	if err != nil {
		return err
	}
	a.costless = !now.Costs
	names, err := c.names(r.Context(), p, a)
	if err != nil {
		return err
	}
	var columns []string
	for _, d := range a.dimensions() {
		columns = append(columns, "by."+string(d))
	}
	for _, key := range a.columns() {
		columns = append(columns, "figure."+key)
	}
	head := c.HeadOf(p, "report", columns)
	head.Rows = len(now.Rows)
	return c.Tables.Send(w, r, head, func(out *table.Rows) error {
		for _, found := range a.sorted(now.Rows) {
			var cells []table.Cell
			for at, d := range a.dimensions() {
				cells = append(cells, table.Text(names.Of(d, found.Values[at])))
			}
			for _, key := range a.columns() {
				cells = append(cells, table.Number(figures.Of(found.Figures, key)))
			}
			if err := out.Write(cells...); err != nil {
				return err
			}
		}
		return nil
	})
}

// refsAtOnce is how many visits and inquiries of a file are read together.
const refsAtOnce = 500

var refColumns = []string{"export.time", "export.what", "export.number", "export.site", "export.who", "export.source", "export.details", "export.share", "export.amount"}

// exportRows sends all visits and inquiries behind a figure.
func (c *room) exportRows(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	a, into, err := c.look(p, r.URL.Query())
	if err != nil {
		return c.refuseRows(w, p, a, err)
	}
	refs, count, err := c.refs(r.Context(), a, into, math.MaxInt)
	if err != nil {
		return err
	}
	self, _ := frame.Current(r)
	if err := c.Operators.NoteExport(r.Context(), self.Login, p.ByID(), "behind", 0); err != nil {
		return err
	}
	head := c.HeadOf(p, a.Figure, refColumns)
	head.Rows = count
	return c.Tables.Send(w, r, head, func(out *table.Rows) error {
		for some := range slices.Chunk(refs, refsAtOnce) {
			found, err := c.refRows(r.Context(), p, into.Metric, some)
			if err != nil {
				return err
			}
			for _, row := range found {
				var from, details string
				if row.Source != nil {
					from, details = row.Source.Name, strings.Join(row.Source.Details, ", ")
				}
				of, _ := p.Site(row.SiteID)
				err := out.Write(table.Time(row.At), table.Text(row.What), table.Count(row.ID), table.Text(of.Key), table.Text(row.Who), table.Text(from), table.Text(details), table.Number(row.Share), table.Number(row.Amount))
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}
