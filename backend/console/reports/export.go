package reports

import (
	"net/http"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
)

// rowsAtOnce is how many rows of a file are sent together.
const rowsAtOnce = 1000

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
	table := rows.NewTable(w, p.Words)
	var heads []string
	for _, d := range a.dimensions() {
		heads = append(heads, "by."+string(d))
	}
	for _, key := range a.columns() {
		heads = append(heads, "figure."+key)
	}
	table.Begin("report", c.Now(), heads)
	for i, found := range a.sorted(now.Rows) {
		var cells []string
		for at, d := range a.dimensions() {
			cells = append(cells, names.Of(d, found.Values[at]))
		}
		for _, key := range a.columns() {
			cells = append(cells, rows.Decimal(p.Words, strconv.FormatFloat(figures.Of(found.Figures, key), 'f', -1, 64)))
		}
		table.Row(cells)
		if i%rowsAtOnce == rowsAtOnce-1 && !table.Send() {
			return nil // nobody reads on
		}
	}
	table.Flush()
	return nil
}
