// Package overview is the room of the first page: how the sites do, and what needs somebody.
package overview

import (
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/visit/days"
)

//go:embed templates
var templates embed.FS

// Subjects are what the room shows.
type Subjects struct {
	Reports   *report.Reports
	Incidents *incident.Incidents
	Days      *days.Days
}

type room struct {
	*frame.Frame
	Subjects
}

// Mount adds the room to the console.
func Mount(f *frame.Frame, subjects Subjects) {
	c := &room{f, subjects}
	f.Room(frame.Room{
		Templates: templates,
		Menu:      []frame.MenuEntry{{Link: "/overview", Icon: "layout-dashboard", Title: "overview.title", Reader: true, Pages: []string{"overview"}}},
	})
	f.Reader("GET /overview", c.With("overview", c.show))
}
