package console

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// peopleSubjects are what the room shows.
type peopleSubjects struct {
	Visits    *visit.Visits
	Callbacks *callback.Callbacks
	Persons   *person.Persons
	Cards     *cards
}

type peopleRoom struct {
	*Live
	peopleSubjects
	presences *shared[presenceKey, *presence]
	moves     *shared[moveKey, [][]byte]
}

// mountPeople adds the room to the console.
func mountPeople(l *Live, subjects peopleSubjects) {
	c := &peopleRoom{Live: l, peopleSubjects: subjects}
	c.presences = newShared(64, time.Minute, l.now, func(ctx context.Context, k presenceKey) (*presence, error) {
		sites, err := c.SitesOf(ctx, k.sites)
		if err != nil {
			return nil, err
		}
		present := presenceOf(k.words, sites, k.scene.Live)
		return &present, nil
	})
	c.moves = newShared(64, time.Minute, l.now, func(_ context.Context, k moveKey) ([][]byte, error) { return c.move(k) })
	l.Room(Room{
		Menu:    []Entry{{Link: "/visitors", Icon: "users", Title: "visitors.title", Pages: []string{"visitors", "card"}}},
		Unknown: map[error]string{visit.ErrUnknown: "fail.noVisitor"},
	})
	l.SignedIn("GET /visitors", c.showVisitors)
	l.SignedIn("GET /visitors/{site}/{visitor}", c.showCard)
	l.View("visitors", c.openVisitors)
	l.View("card", c.openCard)
	l.Admin("GET /person", c.showPerson)
	l.Admin("GET /person/{site}/{visitor}", c.showPersonOf)
	l.Admin("POST /person", c.lookAtPerson)
	l.Admin("POST /person/export", c.exportPerson)
	l.Admin("POST /person/erasure", c.erasePerson)
}
