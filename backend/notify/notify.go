// Package notify tells others what happens at a site: leads, sales, calls, and what is wrong with it, by webhooks and by
// mail.
//
// The journal says what has happened. A reader of it notes a delivery for each endpoint that wants to know, and adds a
// job to the queue, in one transaction. What is sent is made of the tables when it is sent: what has been erased until
// then is not sent, and neither the queue nor the log of deliveries names a person.
package notify

import (
	"context"
	"net/netip"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/notify/attempt"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/notify/webhook"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Event is what an endpoint is told of. It is the type of a webhook's message.
type Event string

// The events.
const (
	LeadAdded    Event = "lead.added"    // a lead that is no sale
	SaleAdded    Event = "sale.added"    // a lead that is a sale when it comes, or becomes one, once
	CallStarted  Event = "call.started"  // it rings
	CallAnswered Event = "call.answered" // somebody has answered
	CallEnded    Event = "call.ended"
	CallRecorded Event = "call.recorded" // there is a recording
	Begun        Event = incident.Begun  // something is wrong with the site
	Over         Event = incident.Over   // it is not any more
	Test         Event = "test"          // somebody has pressed a button
)

// Events are those that an endpoint may choose. All of them get [Test].
var Events = []Event{LeadAdded, SaleAdded, CallStarted, CallAnswered, CallEnded, CallRecorded, Begun, Over}

// ofIncident reports whether the event is of an incident.
func (e Event) ofIncident() bool { return e == Begun || e == Over }

// ofCall reports whether the event is of a call.
func (e Event) ofCall() bool {
	return e == CallStarted || e == CallAnswered || e == CallEnded || e == CallRecorded
}

// Settings are what a configuration says of deliveries.
type Settings struct {
	// Allowed are the ranges of addresses that webhooks may go to beside public ones.
	Allowed []netip.Prefix
	// Mail is the server that takes mail; nil for none.
	Mail *mail.Server
	// Console is the console's URL with a slash at the end, or empty when the
	// configuration does not tell. Mails link to it.
	Console string
}

// Observer is told of what is to be counted. Its methods must not block.
type Observer interface {
	// Delivery says what came of an attempt, see [Results].
	Delivery(result string)
}

// Results are what may come of an attempt to deliver: it was taken, it will be tried again, it was given up, it waits
// at an endpoint that is paused, or there is nothing to tell any more.
var Results = []string{string(delivered), "retried", string(failed), string(held), string(dropped)}

// Subjects are what is told of.
type Subjects struct {
	DB      *db.DB
	Journal *journal.Journal
	Queue   *queue.Queue
	Sites   *site.Sites
	Leads   *lead.Leads
	Calls   *call.Calls
	// Mails counts a mail of the site, or says for how long none may be sent. nil bounds nothing.
	Mails func(ctx context.Context, siteID int64) (wait time.Duration)
}

// Deliveries keeps what was sent to endpoints, and sends. It is safe for concurrent use, on any number of nodes.
type Deliveries struct {
	Subjects
	Endpoints *Endpoints
	settings  func() Settings
	observer  Observer
	now       func() time.Time
	logger    *zap.Logger
	poster    *webhook.Poster
	timeout   time.Duration // of an attempt
	outlet    Outlet        // nil for none
}

// New returns the deliveries of the database, and has the queue do their jobs. settings
// are asked for each attempt. observer may be nil.
func New(s Subjects, settings func() Settings, observer Observer, now func() time.Time, logger *zap.Logger) *Deliveries {
	d := &Deliveries{Subjects: s, settings: settings, observer: observer, now: now, logger: logger, timeout: attempt.Timeout}
	d.Endpoints = &Endpoints{db: s.DB, settings: settings, now: now, resumed: d.release, outlet: func() Outlet { return d.outlet }}
	d.poster = webhook.New(func() []netip.Prefix { return d.settings().Allowed }, now)
	d.handle(Webhook, Mail)
	return d
}

func (d *Deliveries) handle(kinds ...Kind) {
	for _, kind := range kinds {
		d.Queue.Handle(string(kind), queue.Handler{Do: d.do, Next: next, Timeout: jobTimeout})
	}
}
