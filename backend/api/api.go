// Package api answers what browsers, customers' servers and telephone platforms call under a site's prefix. It puts the
// rooms together that do: each mounts its routes, and the gate before them admits requests.
//
// All answers are JSON objects with a boolean "success". A failure says what
// was wrong, in words and in a code, and stores nothing:
//
//	{"success":false,"error":"the page view is not of this site","code":"foreign_ids"}
package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/seed-3405227d/frontdesk/backend/api/bulletins"
	"github.com/seed-3405227d/frontdesk/backend/api/conversation"
	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/leads"
	"github.com/seed-3405227d/frontdesk/backend/api/panel"
	"github.com/seed-3405227d/frontdesk/backend/api/tracker"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/letter"
	"github.com/seed-3405227d/frontdesk/backend/chat/live"
	"github.com/seed-3405227d/frontdesk/backend/chat/rating"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/client"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
)

// Observer is told what was stored, for counting. It must not block.
type Observer interface {
	// View is called for each page view; reports of one that is known are not told.
	View(site string)
	leads.Observer
}

// Presence tells whether somebody is there for the visitors of a site.
type Presence interface {
	Online(ctx context.Context, siteID int64) (bool, error)
	// Opens is when hours of the site begin next; zero when that is not known.
	Opens(ctx context.Context, siteID int64) (time.Time, error)
	// Answering is the group of the site that answers now; 0 for none.
	Answering(ctx context.Context, siteID, wanted int64) (groupID int64, err error)
}

// Subjects are what the routes need.
type Subjects struct {
	Keys        *key.Keys
	Sightings   *sighting.Sightings
	Texts       *quota.Texts
	Visits      *visit.Visits
	Clients     *client.Clients
	Onsite      *onsite.Visitors
	Leads       *lead.Leads
	Refused     *refused.Refusals
	Presence    Presence
	Captchas    *captcha.Captchas
	Callbacks   *callback.Callbacks
	Chats       *chat.Chats
	Live        *live.Pages
	Transcripts *letter.Transcripts
	Answers     *letter.Answers
	Ratings     *rating.Ratings
	Bulletins   *bulletin.Bulletins
	Now         func() time.Time
	// Who is what visitors may know of an operator; zero for nothing.
	Who func(ctx context.Context, operatorID int64) (conversation.Who, error)
	// Face is the one of the name, of an operator of the site, or [face.ErrUnknown].
	Face func(ctx context.Context, siteID int64, name string) ([]byte, error)
}

// API serves the routes. It is safe for concurrent use.
type API struct {
	Leads   *leads.Leads
	Tracker *tracker.Tracker

	panel         *panel.Panel
	conversations *conversation.Conversations
	readers       *bulletins.Readers
	gate          *gate.Gate
	routes        map[string]gate.Route // by path
}

// New returns the routes' handler. The observer may be nil.
func New(subjects Subjects, logger *zap.Logger, observer Observer) *API {
	if observer == nil {
		observer = nobody{}
	}
	views, online := view.New(subjects.Visits, subjects.Keys, subjects.Texts, subjects.Clients, observer.View), online(subjects.Presence, logger)
	a := &API{
		Leads:   leads.New(subjects.Leads, subjects.Refused, subjects.Visits, subjects.Keys, views, observer),
		Tracker: tracker.New(tracker.Subjects{Visits: subjects.Visits, Keys: subjects.Keys, Onsite: subjects.Onsite, Views: views, Sightings: subjects.Sightings}, online, logger),
		panel:   panel.New(views, subjects.Captchas, subjects.Callbacks, subjects.Now, online),
		conversations: conversation.New(conversation.Subjects{
			Keys: subjects.Keys, Visits: subjects.Visits, Views: views, Chats: subjects.Chats, Live: subjects.Live, Transcripts: subjects.Transcripts, Answers: subjects.Answers, Ratings: subjects.Ratings,
			Online: online, Answering: subjects.Presence.Answering, Opens: subjects.Presence.Opens, Who: subjects.Who, Face: subjects.Face,
		}, logger),
		readers: bulletins.New(subjects.Bulletins),
		gate:    gate.New(logger, observer.Unkept, explain),
		routes:  make(map[string]gate.Route),
	}
	for _, route := range a.all() {
		a.routes[route.Path] = route
	}
	return a
}

type nobody struct{}

func (nobody) View(string)   {}
func (nobody) Unkept(string) {}

// all are the routes of all rooms. Those of an empty API tell the addresses, and serve nothing.
func (a *API) all() []gate.Route {
	return slices.Concat(a.Tracker.Routes(), a.Leads.Routes(), a.panel.Routes(), a.conversations.Routes(), a.readers.Routes())
}

// Routes are what routes are added to, such as an [http.ServeMux].
type Routes interface {
	HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
}

// Mount adds the API's addresses to the routes of a site's prefix, which has slashes at
// both ends. What they are asked comes to serve, which passes it to [API.Serve] with the path of the route.
func Mount(mux Routes, prefix string, serve func(w http.ResponseWriter, r *http.Request, path string)) {
	for _, route := range new(API).all() {
		handler := func(w http.ResponseWriter, r *http.Request) { serve(w, r, route.Path) }
		mux.HandleFunc(prefix+route.Path, handler)
		if route.Server {
			mux.HandleFunc(prefix+route.Path+"/{$}", handler)
		}
	}
}

// Serve answers a request to one of the addresses of [Mount]. The request is as [gate.Request] says.
func (a *API) Serve(w http.ResponseWriter, r *http.Request, site gate.Site, path string) {
	route := a.routes[path]
	a.gate.Serve(w, r, site, &route)
}

// online tells whether an operator is there. When that cannot be known, nobody
// is promised.
func online(of Presence, logger *zap.Logger) func(context.Context, gate.Site) bool {
	outage := rate.Sometimes{Interval: time.Second}
	return func(ctx context.Context, site gate.Site) bool {
		there, err := of.Online(ctx, site.ID)
		if err != nil {
			outage.Do(func() {
				logger.Error("presence of operators could not be read", zap.String("site", site.Key), zap.Error(err))
			})
		}
		return there
	}
}

// explain is what a client is told of a subject's error; nil if that is nobody's mistake.
func explain(err error) *gate.Failure {
	var refused submission.Invalid
	var unsaid chat.Invalid
	switch {
	case errors.As(err, &refused):
		return gate.Malformed(refused.Code, "%s", refused.Reason)
	case errors.As(err, &unsaid):
		return gate.Malformed(unsaid.Code, "%s", unsaid.Reason)
	case errors.Is(err, chat.ErrBanned):
		return gate.NewFailure(http.StatusForbidden, "banned", "%s", chat.ErrBanned)
	case errors.Is(err, letter.ErrNoMail), errors.Is(err, letter.ErrNoAnswer):
		return gate.NewFailure(http.StatusConflict, "no_transcript", "%s", err)
	case errors.Is(err, rating.ErrEarly):
		return gate.NewFailure(http.StatusConflict, "no_rating", "%s", err)
	case errors.Is(err, chat.ErrUnknown):
		return gate.NewFailure(http.StatusNotFound, "unknown_conversation", "%s", chat.ErrUnknown)
	case errors.Is(err, visit.ErrForeign): // the visitor has been erased meanwhile
		return view.ForeignIDs()
	case errors.Is(err, visit.ErrNothing):
		return gate.Malformed("empty", "nothing is filled: name, email or phone is needed")
	case errors.Is(err, visit.ErrTooMany):
		return gate.Malformed("too_many", "the visitor has as many of these as are kept")
	}
	return nil
}
