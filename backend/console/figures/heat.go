package figures

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/report"
)

// HeatRow is a day of the week in a map of hours and weekdays.
type HeatRow struct {
	Name  string
	Cells []HeatCell
}

// HeatCell is an hour of it. Level is from 0, for nothing, to 5, for the most.
type HeatCell struct {
	Figure
	Level int
	Said  string // which hour it is, and how much
}

// HeatOf is the map of the figure in the rows, if these are by hours and weekdays. link is the address of what is counted in a
// row with the values.
func HeatOf(w *words.Tongue, key string, by []report.Dimension, found []report.Row, link func(key string, values ...string) string) (heat []HeatRow, is bool) {
	if len(by) != 2 || !slices.Contains(by, report.Hour) || !slices.Contains(by, report.Weekday) {
		return nil, false
	}
	hourFirst := by[0] == report.Hour
	most := 0.0
	at := make(map[[2]string]report.Figures)
	for _, r := range found {
		at[[2]string(r.Values)] = r.Figures
		most = max(most, Of(r.Figures, key))
	}
	for day := 1; day <= 7; day++ {
		row := HeatRow{Name: w.Text("weekday." + strconv.Itoa(day))}
		for hour := range 24 {
			values := [2]string{strconv.Itoa(day), fmt.Sprintf("%02d", hour)}
			if hourFirst {
				values[0], values[1] = values[1], values[0]
			}
			f := New(w, key, at[values], nil)
			cell := HeatCell{Figure: f, Said: fmt.Sprintf("%s, %02d:00: %s", row.Name, hour, f.Value)}
			if f.Count > 0 {
				cell.Level = 1 + min(4, int(f.Count/most*5))
				cell.Link = link(key, values[:]...)
			}
			row.Cells = append(row.Cells, cell)
		}
		heat = append(heat, row)
	}
	return heat, true
}
