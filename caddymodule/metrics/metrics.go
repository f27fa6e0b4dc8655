// Package metrics has what Prometheus is told of Frontdesk, and counts it.
package metrics

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/health"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip"
	"github.com/seed-3405227d/frontdesk/edge"
	"github.com/seed-3405227d/frontdesk/edge/post"
	pages "github.com/seed-3405227d/frontdesk/snippet/page"
)

// The collectors live as long as the process: each configuration brings its own
// registry, on which they are registered anew. No label holds what a visitor or
// the number of sites could multiply.
var (
	pagesWoven = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "frontdesk_pages_woven_total",
		Help: "Pages that went out with the insertion code.",
	})
	pagesPassed = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_pages_passed_total",
		Help: "Answers that went out as the origin sent them, by reason.",
	}, []string{"reason"})
	pagesNumbered = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "frontdesk_pages_numbered_total",
		Help: "Answers in which Frontdesk looked for numbers to replace.",
	})
	pagesUnselected = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "frontdesk_pages_unselected_total",
		Help: "Pages among them that were too large or too slow for their CSS selectors to be applied.",
	})
	pagesCrowded = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "frontdesk_pages_crowded_total",
		Help: "Pages that went out with something left out, because too much of all pages was being held back.",
	})
	faults = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_faults_total",
		Help: "Panics in Frontdesk's own code that were recovered, by the part of the work.",
	}, []string{"place"})
	pageTime = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "frontdesk_page_duration_seconds",
		Help:    "Time that a page spent in Frontdesk itself.",
		Buckets: []float64{1e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 5e-2, 0.1},
	})
	hits = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "frontdesk_hits_total",
		Help: "Page views that were stored.",
	})
	leads = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_leads_total",
		Help: "Leads that were stored, by where they came from.",
	}, []string{"origin"})
	chats = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "frontdesk_chats_total",
		Help: "Conversations that visitors began, or began again after they were closed.",
	})
	messages = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_messages_total",
		Help: "Messages of conversations that were stored, by who wrote them.",
	}, []string{"author"})
	calls = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_calls_total",
		Help: "Telephone calls that have ended, by how they did.",
	}, []string{"status"})
	callEvents = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_call_events_total",
		Help: "Requests of telephone platforms, by platform and what became of them.",
	}, []string{"platform", "outcome"})
	sipMessages = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_sip_total",
		Help: "SIP messages that were dropped or refused, and calls by SIP, by what became of them.",
	}, []string{"outcome"})
	sipCalls = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_sip_calls",
		Help: "Callbacks over SIP at the moment.",
	}, func() float64 { return float64(now.Exchange().Calls) })
	sipRegistered = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_sip_registered",
		Help: "1 while the SIP trunk accepts the registration.",
	}, func() float64 {
		if now.Exchange().Registered {
			return 1
		}
		return 0
	})
	forms = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_forms_total",
		Help: "Forms on their way to the site that a capture matches, by what became of them.",
	}, []string{"outcome"})
	formsWaiting = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_forms_waiting",
		Help: "Forms that wait on the disk for the database.",
	}, func() float64 { waiting, _ := now.Spool(); return float64(waiting) })
	formsRoom = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_forms_room_bytes",
		Help: "Bytes of further forms that fit into the room on the disk.",
	}, func() float64 { _, room := now.Spool(); return float64(room) })
	found = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_forms_found_total",
		Help: "Forms that no capture matches and whose fields are not known, by what became of their bodies.",
	}, []string{"outcome"})
	received = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_received_bytes",
		Help: "Bytes of bodies in memory while they are being received.",
	}, func() float64 { held, _ := now.Received(); return float64(held) })
	receivedRefused = prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "frontdesk_received_refused_total",
		Help: "Bodies that found no room while they were being received.",
	}, func() float64 { _, refused := now.Received(); return float64(refused) })
	forwarded = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_forwards_total",
		Help: "Attempts to send what waits for a service elsewhere, by what became of them.",
	}, []string{"outcome"})
	unkept = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_unkept_total",
		Help: "Requests of which nothing was kept, because the visitor has not agreed, by what they were.",
	}, []string{"what"})
	arrivals = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_arrivals_total",
		Help: "Pages that should go out with their visit, by how much of it was known in time.",
	}, []string{"outcome"})
	deliveries = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_deliveries_total",
		Help: "Attempts to deliver a webhook or a mail, by what came of it.",
	}, []string{"result"})
	limited = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_limited_total",
		Help: "What was refused because its site had used up a limit, by the limit.",
	}, []string{"limit"})
	leases = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "frontdesk_leases_total",
		Help: "Page views whose visitor should get a number of a pool, by what came of it; shared, reserve and original mean that the pool was exhausted.",
	}, []string{"outcome"})
)

// passed are the counters of pagesPassed for what becomes of pages, so that none is looked up for a page.
var passed = func() map[pages.Outcome]prometheus.Counter {
	counters := make(map[pages.Outcome]prometheus.Counter)
	for _, outcome := range pages.Outcomes {
		if outcome != pages.Woven {
			counters[outcome] = pagesPassed.WithLabelValues(string(outcome))
		}
	}
	return counters
}()

func init() {
	for _, outcome := range forward.Outcomes {
		forwarded.WithLabelValues(string(outcome))
	}
	for _, outcome := range post.FormOutcomes { // so that they are there from the beginning
		forms.WithLabelValues(string(outcome))
	}
	for _, outcome := range post.FoundOutcomes {
		found.WithLabelValues(string(outcome))
	}
	for _, outcome := range sip.Outcomes {
		sipMessages.WithLabelValues(outcome)
	}
	for _, result := range notify.Results {
		deliveries.WithLabelValues(result)
	}
	for _, origin := range lead.Origins {
		leads.WithLabelValues(origin)
	}
	for _, author := range []chat.Author{chat.Visitor, chat.Operator, chat.Note} {
		messages.WithLabelValues(string(author))
	}
	for _, status := range []telephony.Status{telephony.Answered, telephony.Missed, telephony.Busy, telephony.Failed} {
		calls.WithLabelValues(string(status))
	}
	for _, kind := range limit.Kinds {
		limited.WithLabelValues(kind.String())
	}
	for _, what := range gate.Unkept {
		unkept.WithLabelValues(what)
	}
}

// arrived are those of arrivals.
var arrived = func() map[edge.Arrival]prometheus.Counter {
	counters := make(map[edge.Arrival]prometheus.Counter)
	for _, arrival := range edge.Arrivals {
		counters[arrival] = arrivals.WithLabelValues(string(arrival))
	}
	return counters
}()

// States tell what is at the moment.
type States struct {
	// Exchange is what the SIP exchange is doing; nothing when there is none.
	Exchange func() sip.State
	// Spool is how many forms wait, and for how many bytes of forms there is room.
	Spool func() (waiting int, room int64)
	// Limits count the sites by the limits that they have and have reached.
	Limits func() limit.State
	// Reasons are why the node is not well.
	Reasons func() []health.Reason
	// Received is how many bytes of bodies are held while they are received, and for how many bodies there was no room.
	Received func() (held, refused int)
}

// now is set when the program begins.
var now States

// Use has the gauges ask for the states. It is to be called before [Register].
func Use(states States) { now = states }

// Register registers all collectors with the registry of a configuration.
func Register(registry *prometheus.Registry) error {
	for _, collector := range []prometheus.Collector{pagesWoven, pagesPassed, pagesNumbered, pagesUnselected, pagesCrowded, faults, pageTime, arrivals, forms, formsWaiting, formsRoom, found, received, receivedRefused, forwarded, unkept, hits, leads, chats, messages, calls, leases, callEvents, deliveries, limited, limits, unwell, sites, sipMessages, sipCalls, sipRegistered} {
		err := registry.Register(collector)
		if already := (prometheus.AlreadyRegisteredError{}); err != nil && !errors.As(err, &already) {
			return err
		}
	}
	return nil
}
