// Package calls is the room of telephone calls and of callbacks.
package calls

import (
	"context"
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
)

//go:embed templates
var templates embed.FS

// Subjects are what the room shows.
type Subjects struct {
	Calls     *call.Calls
	Callbacks *callback.Callbacks
	Leads     *lead.Leads
	Visitors  *card.Cards
	// Region is the country in whose way the visitors of a site write numbers: ISO 3166-1
	// alpha-2, or empty. It may be nil.
	Region func(ctx context.Context, siteID int64) string
	// Service is the URL under which this server's configuration has the service of the site of a key, with a slash at
	// the end; empty where it does not tell. It may be nil.
	Service func(key string) string
}

type room struct {
	*live.Live
	Subjects
	told live.Things[call.Call]
}

// Mount adds the room to the console.
func Mount(l *live.Live, subjects Subjects) {
	c := &room{Live: l, Subjects: subjects, told: live.NewThings(l, subjects.Calls.Get)}
	l.Room(frame.Room{
		Templates: templates,
		Menu: []frame.MenuEntry{
			{Link: "/calls", Icon: "phone-incoming", Title: "calls.title", Pages: []string{"calls"}},
			{Link: "/callbacks", Icon: "phone-outgoing", Title: "callbacks.title", Pages: []string{"callbacks", "callback", "newcallback"}, Class: "not-small"},
		},
		Unknown: map[error]string{callback.ErrUnknown: "fail.noCallback", call.ErrUnknown: "fail.notFound"},
	})
	l.SignedIn("GET /calls", c.With("calls", c.showCalls))
	l.SignedIn("GET /calls/export", c.exportCalls)
	l.SignedIn("POST /calls/{site}/{call}/lead", c.makeLead)
	l.SignedIn("GET /callbacks", c.With("callbacks", c.showCallbacks))
	l.SignedIn("GET /callbacks/new", c.showNewCallback)
	l.SignedIn("POST /callbacks", c.makeCallback)
	l.SignedIn("GET /callbacks/{site}/{callback}", c.showCallback)
	l.SignedIn("POST /callbacks/{site}/{callback}/call", c.callbackDeed(c.callNow, "callback.calling"))
	l.SignedIn("POST /callbacks/{site}/{callback}/postponement", c.callbackDeed(c.postponeCallback, "callback.postponed"))
	l.SignedIn("POST /callbacks/{site}/{callback}/closing", c.callbackDeed(c.closeCallback, "callback.closed"))
	l.Feed("calls", c.openCalls)
	l.Feed("callbacks", live.ListFeed(live.NewThings(l, subjects.Callbacks.Get), callback.Changed, "callbacks-event", rows.CallbackRowOf))
	l.Feed("callback", c.openCallback)
}
