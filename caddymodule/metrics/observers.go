package metrics

import (
	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/edge"
	"github.com/seed-3405227d/frontdesk/edge/post"
	pages "github.com/seed-3405227d/frontdesk/snippet/page"
)

// Service counts what the service tells of.
type Service struct{}

// View counts a page view that was stored.
func (Service) View(site string) {
	hits.Inc()
	sites.count(site, func(c *siteCounts) { c.views++ })
}

// Said counts a message.
func (Service) Said(by chat.Author, begins bool) {
	messages.WithLabelValues(string(by)).Inc()
	if begins {
		chats.Inc()
	}
}

// CallEnded counts a call that has ended.
func (Service) CallEnded(how telephony.Status) { calls.WithLabelValues(string(how)).Inc() }

// Lead counts a lead.
func (Service) Lead(origin string) { leads.WithLabelValues(origin).Inc() }

// Limited counts what was refused because of a limit.
func (Service) Limited(what limit.Kind) { limited.WithLabelValues(what.String()).Inc() }

// Unkept counts a request of which nothing was kept.
func (Service) Unkept(what string) { unkept.WithLabelValues(what).Inc() }

// Leased counts a lease.
func (Service) Leased(outcome lease.Outcome) { leases.WithLabelValues(string(outcome)).Inc() }

// Forwarded counts an attempt to forward.
func (Service) Forwarded(outcome forward.Outcome) {
	forwarded.WithLabelValues(string(outcome)).Inc()
}

// Call counts a request of a telephone platform.
func (Service) Call(platform, outcome string) {
	callEvents.WithLabelValues(platform, outcome).Inc()
}

// Delivery counts an attempt to deliver.
func (Service) Delivery(result string) { deliveries.WithLabelValues(result).Inc() }

// Edge counts what the edge tells of.
type Edge struct{}

// Passed counts a page that a block has not looked at.
func (Edge) Passed(reason string) { pagesPassed.WithLabelValues(reason).Inc() }

// Arrived counts a page that has waited for its visit.
func (Edge) Arrived(arrival edge.Arrival) { arrived[arrival].Inc() }

// Form counts a form that a rule matches.
func (Edge) Form(outcome post.FormOutcome) { forms.WithLabelValues(string(outcome)).Inc() }

// Found counts a form that no rule matches.
func (Edge) Found(outcome post.FoundOutcome) { found.WithLabelValues(string(outcome)).Inc() }

// Page counts a page of the site that a block has looked at.
func (e Edge) Page(site string, r pages.Result) {
	sites.count(site, func(c *siteCounts) {
		if r.Outcome == pages.Woven {
			c.woven++
		} else {
			c.passed++
		}
	})
	switch counter := passed[r.Outcome]; {
	case r.Outcome == pages.Woven:
		pagesWoven.Inc()
	case counter != nil:
		counter.Inc()
	default: // a reason of the edge's
		e.Passed(string(r.Outcome))
	}
	if r.Numbers {
		pagesNumbered.Inc()
	}
	if r.Unselected {
		pagesUnselected.Inc()
	}
	if r.Crowded {
		pagesCrowded.Inc()
	}
	if r.Spent > 0 {
		pageTime.Observe(r.Spent.Seconds())
	}
}

// Fault counts a panic of our own.
func Fault(place string) { faults.WithLabelValues(place).Inc() }

// Interface guards
var (
	_ backend.Observer = Service{}
	_ call.Observer    = Service{}
)

// SIP counts what the exchange did.
func (Service) SIP(outcome string) { sipMessages.WithLabelValues(outcome).Inc() }
