// Package people is the room of visitors: who is on the sites now, a visitor's card, and what is known of one person.
package people

import (
	"context"
	"embed"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

//go:embed templates
var templates embed.FS

// Subjects are what the room shows.
type Subjects struct {
	Visits    *visit.Visits
	Callbacks *callback.Callbacks
	Persons   *person.Persons
	Cards     *rows.Cards
	// Region is the country in whose way the visitors of a site write numbers. It may be nil.
	Region func(ctx context.Context, siteID int64) string
}

type room struct {
	*live.Live
	Subjects
	presences *live.Shared[presenceKey, *presence]
	moves     *live.Shared[moveKey, [][]byte]
}

// Mount adds the room to the console.
func Mount(l *live.Live, subjects Subjects) {
	c := &room{Live: l, Subjects: subjects}
	c.presences = live.NewShared(64, time.Minute, l.Now, func(ctx context.Context, k presenceKey) (*presence, error) {
		sites, err := c.SitesOf(ctx, k.sites)
		if err != nil {
			return nil, err
		}
		present := presenceOf(k.words, sites, k.scene.Live)
		return &present, nil
	})
	c.moves = live.NewShared(64, time.Minute, l.Now, func(_ context.Context, k moveKey) ([][]byte, error) { return c.move(k) })
	l.Room(frame.Room{
		Templates: templates,
		Menu:      []frame.MenuEntry{{Link: "/visitors", Icon: "users", Title: "visitors.title", Pages: []string{"visitors", "card"}}},
		Unknown:   map[error]string{visit.ErrUnknown: "fail.noVisitor"},
	})
	l.SignedIn("GET /visitors", c.With("visitors", c.showVisitors))
	l.SignedIn("GET /visitors/{site}/{visitor}", c.showCard)
	l.SignedIn("POST /visitors/{site}/{visitor}/contacts", c.correct)
	l.Feed("visitors", c.openVisitors)
	l.Feed("card", c.openCard)
	l.Admin("GET /person", c.showPerson)
	l.Admin("GET /person/{site}/{visitor}", c.showPersonOf)
	l.Admin("POST /person", c.lookAtPerson)
	l.Admin("POST /person/export", c.exportPerson)
	l.Admin("POST /person/erasure", c.erasePerson)
}
