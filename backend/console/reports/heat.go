package reports

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/report"
)

// heatRow is a day of the week in a map of hours and weekdays.
type heatRow struct {
	Name  string
	Cells []heatCell
}

// heatCell is an hour of it. Level is from 0, for nothing, to 5, for the most.
type heatCell struct {
	figures.Figure
	Level int
	Said  string // which hour it is, and how much
}

// heatOf is the map of the rows, if they are by hours and weekdays.
func heatOf(w *words.Tongue, a asked, found []report.Row) (heat []heatRow, is bool) {
	by := a.dimensions()
	if len(by) != 2 || !slices.Contains(by, report.Hour) || !slices.Contains(by, report.Weekday) {
		return nil, false
	}
	hourFirst := by[0] == report.Hour
	most := 0.0
	at := make(map[[2]string]report.Figures)
	for _, r := range found {
		at[[2]string(r.Values)] = r.Figures
		most = max(most, figures.Of(r.Figures, a.Figure))
	}
	for day := 1; day <= 7; day++ {
		row := heatRow{Name: w.Text("weekday." + strconv.Itoa(day))}
		for hour := range 24 {
			values := [2]string{strconv.Itoa(day), fmt.Sprintf("%02d", hour)}
			if hourFirst {
				values[0], values[1] = values[1], values[0]
			}
			f := figures.New(w, a.Figure, at[values], nil)
			cell := heatCell{Figure: f, Said: fmt.Sprintf("%s, %02d:00: %s", row.Name, hour, f.Value)}
			if f.Count > 0 {
				cell.Level = 1 + min(4, int(f.Count/most*5))
				cell.Link = a.behind(a.Figure, values[:]...)
			}
			row.Cells = append(row.Cells, cell)
		}
		heat = append(heat, row)
	}
	return heat, true
}
