package figures

import (
	"net/url"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
)

// Course is how a figure went over the parts of a period: the table from which the page's script draws the chart.
type Course struct {
	Key    string // the figure's
	Zone   string // IANA name of the time zone of its days
	Step   period.Step
	Beside bool // what it was before is told
	Points []Point
}

// Point is the figure of a part.
type Point struct {
	Start   time.Time
	Name    string // of the part
	Count   float64
	Value   string
	Was     float64
	Before  string
	Link    string // to what is counted; empty where there is nothing to show
	Running bool   // the part is not over yet
	Future  bool   // it has not begun
}

// CourseOf is the course of the figure, beside that of the other answer's if it is not nil.
func CourseOf(w *words.Tongue, key string, p period.Period, now time.Time, parts []report.Figures, before *report.Answer) Course {
	c := Course{Key: key, Zone: p.Zone.String(), Step: p.Step, Beside: before != nil}
	for i, part := range p.Parts() {
		point := Point{Start: part.Start, Name: PartName(p, part.Start), Running: part.Running(now), Future: part.Start.After(now)}
		if i < len(parts) {
			point.Count, point.Value = Of(parts[i], key), written(w, key, parts[i])
		}
		if before != nil && i < len(before.Parts) {
			point.Was = Of(before.Parts[i], key)
			point.Before = written(w, key, before.Parts[i])
		}
		c.Points = append(c.Points, point)
	}
	return c
}

// LinkTo has each part lead to what is counted there, where the address is that of the whole figure; it may be empty.
func (c Course) LinkTo(behind string) {
	for i, p := range c.Points {
		if behind != "" && p.Count != 0 {
			c.Points[i].Link = behind + "&" + url.Values{Part: {PartOf(p.Start)}}.Encode()
		}
	}
}

// PartName is when the part begins, in the period's zone. The page's script writes it in the reader's way.
func PartName(p period.Period, start time.Time) string {
	at := start.In(p.Zone)
	switch p.Step {
	case period.Hour:
		return at.Format("2006-01-02 15:04")
	case period.Month:
		return at.Format("2006-01")
	}
	return at.Format(time.DateOnly)
}
