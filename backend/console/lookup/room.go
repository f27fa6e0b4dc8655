// Package lookup is the search over everybody and everything: visitors, leads, conversations, calls, sites and the pages
// of the console.
package lookup

import (
	"context"
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
)

//go:embed templates
var templates embed.FS

// Subjects are what is looked through.
type Subjects struct {
	Visitors      *card.Cards
	Inbox         *inbox.Inbox
	Conversations *overview.Overview
	Calls         *call.Calls
	// Region is the country in whose way the visitors of a site write numbers. It may be nil.
	Region func(ctx context.Context, siteID int64) string
}

type room struct {
	*frame.Frame
	Subjects
}

// Mount adds the room to the console.
func Mount(f *frame.Frame, subjects Subjects) {
	c := &room{Frame: f, Subjects: subjects}
	f.Room(frame.Room{Templates: templates})
	f.SignedIn("GET /lookup", c.With("lookup", c.show))
}
