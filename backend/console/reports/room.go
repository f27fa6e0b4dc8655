// Package reports is the room of reports: figures of any time by any dimension, a chart of their course, the visits and
// inquiries behind each, and the visits that stood before a sale.
package reports

import (
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
)

//go:embed templates
var templates embed.FS

// Subjects are what the room shows.
type Subjects struct {
	Reports   *report.Reports
	Visitors  *card.Cards
	Visits    *visit.Visits
	Calls     *call.Calls
	Callbacks *callback.Callbacks
	Chats     *chat.Chats
	Leads     *lead.Leads
	Saved     *saved.Reports
	Links     *link.Links
}

type room struct {
	*frame.Frame
	Subjects
}

// Mount adds the room to the console.
func Mount(f *frame.Frame, subjects Subjects) {
	c := &room{f, subjects}
	l := &links{c, make(chan struct{}, outsideAtOnce)}
	f.Room(frame.Room{
		Templates: templates,
		Menu:      []frame.MenuEntry{{Link: "/reports", Icon: "chart-line", Title: "reports.title", Pages: []string{"reports", "behind", "saved", "links", "paths", "bulletins", "costs", "import"}, Class: "not-small", Reader: true}},
		Unknown:   map[error]string{saved.ErrUnknown: "fail.notFound", link.ErrUnknown: "fail.notFound"},
	})
	f.Reader("GET /reports", c.With("reports", c.showReport))
	f.SignedIn("GET /reports/rows", c.With("behind", c.showRows))
	f.SignedIn("GET /reports/rows/export", c.With("behind", c.exportRows))
	f.Reader("GET /reports/paths", c.With("paths", c.showPaths))
	f.Reader("GET /reports/paths/export", c.With("paths", c.exportPaths))
	f.Reader("GET /reports/export", c.With("reports", c.export))
	f.Reader("GET /reports/saved", c.With("saved", c.showSaved))
	f.Reader("POST /reports/saved", c.With("reports", c.save))
	f.Reader("POST /reports/saved/{saved}", c.With("saved", c.changeSaved))
	f.Reader("POST /reports/saved/{saved}/removal", c.With("saved", c.removeSaved))
	f.Admin("GET /reports/links", c.With("links", l.showLinks))
	f.Admin("POST /reports/links", c.With("links", l.makeLink))
	f.Admin("POST /reports/links/{site}/{link}/removal", c.With("links", l.endLink))
	f.Everybody("GET /r/{shared}", l.opened(l.showOutside))
	f.Everybody("GET /r/{shared}/export", l.opened(l.exportOutside))
}
