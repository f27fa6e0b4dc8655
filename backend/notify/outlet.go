package notify

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/notify/webhook"
)

// The events of outlets alone. The last two go to all of their endpoints, whichever events these have chosen.
const (
	ChatBegun Event = "chat.begun" // the first message of a conversation
	TakenBack Event = "taken_back" // something of what was told of the subject counts no more
	GivenBack Event = "given_back" // it counts after all
)

// Outlet sends to endpoints that are neither webhooks nor mailboxes.
type Outlet interface {
	// Check returns an [Invalid] for what is wrong with the endpoint.
	Check(e Endpoint) error
	// Event is what the entry tells such endpoints; empty for nothing. It is called in a transaction, and must be quick.
	Event(entry journal.Entry) Event
	// Send makes an attempt to send the delivery, which may be a [Test]. The error is an [attempt.Failure], an
	// [attempt.Skip] or, for our own, any other.
	Send(ctx context.Context, e Endpoint, r Delivery) (status int, err error)
}

// Use has the outlet send to endpoints of the kinds. It is called before [Deliveries.Run].
func (d *Deliveries) Use(o Outlet, kinds ...Kind) {
	d.outlet = o
	d.handle(kinds...)
}

// Poster is what sends webhooks. It reaches public addresses, and those that the configuration allows.
func (d *Deliveries) Poster() *webhook.Poster { return d.poster }

// outOf is what the entry tells endpoints of outlets.
func (d *Deliveries) outOf(entry journal.Entry) Event {
	switch {
	case entry.Kind == EndpointTested:
		return Test
	case d.outlet == nil:
		return ""
	}
	return d.outlet.Event(entry)
}
