// Package tracker answers what the browser script reports of a visitor: page views, user events, properties, contacts,
// and whether somebody looks at the page. It also stores the views of pages that are sent with their visits.
package tracker

import (
	"context"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
)

// Subjects are what the routes need.
type Subjects struct {
	Visits *visit.Visits
	Keys   *key.Keys
	Onsite *onsite.Visitors
	Views  *view.Views
	// Sightings are told of visitors who are given numbers. They may be nil.
	Sightings *sighting.Sightings
}

// Tracker serves the routes. It is safe for concurrent use.
type Tracker struct {
	Subjects
	// online tells whether an operator is there.
	online   func(context.Context, gate.Site) bool
	logger   *zap.Logger
	pages    *gate.Limits // of clients whose pages come with their visits
	arrivals *gate.Limits // of the same at their first pages
	outage   rate.Sometimes
}

// New returns a tracker; online tells whether an operator is there.
func New(subjects Subjects, online func(context.Context, gate.Site) bool, logger *zap.Logger) *Tracker {
	return &Tracker{
		Subjects: subjects, online: online, logger: logger,
		pages:    gate.NewLimits(gate.ScriptBurst, time.Second/gate.ScriptRate),
		arrivals: gate.NewLimits(arrivalsAtOnce, arrivalPause),
		outage:   rate.Sometimes{Interval: time.Second},
	}
}

// Routes are those that the tracker serves.
func (t *Tracker) Routes() []gate.Route {
	return []gate.Route{
		{Path: "v1/hit", Methods: gate.Post, Opens: gate.Open, Serve: t.hit, Consent: true},
		{Path: "v1/event", Methods: gate.Post, Opens: gate.OfBrowser, Serve: t.event, Consent: true},
		{Path: "v1/visitor", Methods: gate.Post, Opens: gate.OfView, Serve: t.visitor, Consent: true},
		{Path: "v1/property", Methods: gate.Post, Opens: gate.OfBrowser, Serve: t.property, Consent: true},
		{Path: "v1/crossing", Methods: gate.Post, Opens: gate.OfBrowser, Serve: t.crossing, Consent: true},
		{Path: "v1/presence", Methods: gate.Post, Opens: gate.OfBrowser, Serve: t.presence, Consent: true},
	}
}
