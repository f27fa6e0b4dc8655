// Package inquiries is the room of everybody who got in touch: calls, leads, conversations and callbacks in one list.
package inquiries

import (
	"context"
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/inquiry"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
)

//go:embed templates
var templates embed.FS

// Subjects are what the room shows.
type Subjects struct {
	Inquiries *inquiry.Inquiries
	Visitors  *card.Cards
}

type room struct {
	*live.Live
	Subjects
	told map[inquiry.Kind]live.Things[inquiry.Inquiry]
}

// Mount adds the room to the console.
func Mount(l *live.Live, subjects Subjects) {
	c := &room{Live: l, Subjects: subjects, told: make(map[inquiry.Kind]live.Things[inquiry.Inquiry])}
	for _, kind := range inquiry.Kinds {
		c.told[kind] = live.NewThings(l, func(ctx context.Context, site, id int64) (inquiry.Inquiry, error) {
			return c.Inquiries.Get(ctx, kind, site, id)
		})
	}
	l.Room(frame.Room{
		Templates: templates,
		Menu:      []frame.MenuEntry{{Link: "/inquiries", Icon: "history", Title: "inquiries.title", Pages: []string{"inquiries"}, Class: "not-small"}},
		Unknown:   map[error]string{inquiry.ErrUnknown: "fail.notFound"},
	})
	l.SignedIn("GET /inquiries", c.With("inquiries", c.show))
	l.SignedIn("GET /inquiries/export", c.export)
	l.Feed("inquiries", c.open)
}
