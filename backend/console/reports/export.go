package reports

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/table"
)

// export sends all rows of the report as a table.
func (c *room) export(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	a, err := c.read(p, r.URL.Query())
	if err != nil {
		return c.refuse(w, p, reportPage{asked: a, Options: optionsOf(p), Today: a.today(c.Now())}, err)
	}
	now, err := c.Reports.Ask(r.Context(), a.question())
	if err != nil {
		return err
	}
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
