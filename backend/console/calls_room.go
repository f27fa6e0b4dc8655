package console

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// callsSubjects are what the room shows.
type callsSubjects struct {
	Calls     *number.Calls
	Callbacks *callback.Callbacks
	Leads     *lead.Leads
	Visits    *visit.Visits
	// Region is the country in whose way the visitors of a site write numbers: ISO 3166-1
	// alpha-2, or empty. It may be nil.
	Region func(ctx context.Context, siteID int64) string
}

type callsRoom struct {
	*Live
	callsSubjects
}

// mountCalls adds the room to the console.
func mountCalls(l *Live, subjects callsSubjects) {
	c := &callsRoom{Live: l, callsSubjects: subjects}
	l.Room(Room{
		Menu: []Entry{
			{Link: "/calls", Icon: "phone-incoming", Title: "calls.title", Pages: []string{"calls"}},
			{Link: "/callbacks", Icon: "phone-outgoing", Title: "callbacks.title", Pages: []string{"callbacks", "callback", "newcallback"}, Class: "not-small"},
		},
		Unknown: map[error]string{callback.ErrUnknown: "fail.noCallback", number.ErrUnknownCall: "fail.notFound"},
	})
	l.SignedIn("GET /calls", c.showCalls)
	l.SignedIn("GET /callbacks", c.showCallbacks)
	l.SignedIn("GET /callbacks/new", c.showNewCallback)
	l.SignedIn("POST /callbacks", c.makeCallback)
	l.SignedIn("GET /callbacks/{site}/{callback}", c.showCallback)
	l.SignedIn("POST /callbacks/{site}/{callback}/call", c.callbackDeed(c.callNow, "callback.calling"))
	l.SignedIn("POST /callbacks/{site}/{callback}/postponement", c.callbackDeed(c.postponeCallback, "callback.postponed"))
	l.SignedIn("POST /callbacks/{site}/{callback}/closing", c.callbackDeed(c.closeCallback, "callback.closed"))
	calls, callbacks := newThings(l, subjects.Calls.Get), newThings(l, subjects.Callbacks.Get)
	l.View("calls", ToldView(calls, number.Told, "calls-event", callRowOf))
	l.View("callbacks", ToldView(callbacks, callback.Changed, "callbacks-event", callbackRowOf))
	l.View("callback", c.openCallback)
}
