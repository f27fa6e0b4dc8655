// Package costs is the room of what advertising has cost: files of platforms, with a look at each before it counts, and entries by
// hand. Either can be undone.
package costs

import (
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
)

//go:embed templates
var templates embed.FS

type room struct {
	*frame.Frame
	Costs   *cost.Costs
	Reports *report.Reports
}

// Mount adds the room to the console.
func Mount(f *frame.Frame, costs *cost.Costs, reports *report.Reports) {
	c := &room{f, costs, reports}
	f.Room(frame.Room{Templates: templates, Unknown: map[error]string{cost.ErrUnknown: "fail.notFound"}})
	f.Admin("GET /costs", c.With("costs", c.choose))
	f.Admin("GET /costs/{site}", c.WithSite("costs", c.showCosts))
	f.AdminUpload("POST /costs/{site}/files", maxForm, c.WithSite("costs", c.take))
	f.Admin("POST /costs/{site}/entries", c.WithSite("costs", c.enter))
	f.Admin("GET /costs/{site}/imports/{import}", c.WithSite("import", c.showImport))
	f.Admin("POST /costs/{site}/imports/{import}", c.WithSite("import", c.confirm))
	f.Admin("POST /costs/{site}/imports/{import}/removal", c.WithSite("import", c.undo))
}
