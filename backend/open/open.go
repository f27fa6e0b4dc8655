// Package open is the public API: what programs read and change of the service as JSON, under [Path] on the console's
// host. The types that answer are those of its description, an OpenAPI document.
package open

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/open/destinations"
	"github.com/seed-3405227d/frontdesk/backend/open/endpoints"
	"github.com/seed-3405227d/frontdesk/backend/open/events"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/open/handouts"
	"github.com/seed-3405227d/frontdesk/backend/open/inquiries"
	"github.com/seed-3405227d/frontdesk/backend/open/numbers"
	"github.com/seed-3405227d/frontdesk/backend/open/once"
	"github.com/seed-3405227d/frontdesk/backend/open/persons"
	"github.com/seed-3405227d/frontdesk/backend/open/reference"
	"github.com/seed-3405227d/frontdesk/backend/open/reports"
	"github.com/seed-3405227d/frontdesk/backend/open/sites"
	"github.com/seed-3405227d/frontdesk/backend/open/staff"
	"github.com/seed-3405227d/frontdesk/backend/open/visitors"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/check"
	"github.com/seed-3405227d/frontdesk/backend/site/foresight"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
)

// Path is where the API is.
const Path = frame.Path

// Subjects are what the API tells of.
type Subjects struct {
	Tokens      *token.Tokens
	Answers     *once.Answers
	Sites       *site.Sites
	Checks      *check.Checks
	Visits      *visit.Visits
	Leads       *lead.Leads
	Inbox       *inbox.Inbox
	Refused     *refused.Refusals
	Incidents   *incident.Incidents
	Leases      *lease.Leases
	SignIns     *signin.SignIns
	TwoStep     *twostep.Steps
	Calls       *call.Calls
	Chats       *chat.Chats
	Overview    *overview.Overview
	Callbacks   *callback.Callbacks
	Numbers     *inventory.Inventory
	Forms       *form.Forms
	Operators   *operator.Operators
	Groups      *group.Groups
	Replies     *reply.Replies
	Deliveries  *notify.Deliveries
	Conversions *conversion.Conversions
	Cards       *card.Cards
	Onsite      *onsite.Visitors
	Persons     *person.Persons
	Reports     *report.Reports
	Saved       *saved.Reports
	Links       *link.Links
	Bulletins   *bulletin.Bulletins
	Costs       *cost.Costs
	Journal     *journal.Journal
	Limits      *limit.Uses

	// Configured is what this server's configuration says for the site of a key, if it names the site, and Pools are the
	// pools of it.
	Configured func(key string) (site.Settings, bool)
	Pools      func() number.ConfiguredPools
	// Hosts are those at which this server's configuration serves the site of a key. It may be nil.
	Hosts func(key string) []string
	// Region is the country of numbers without a country code.
	Region func(ctx context.Context, siteID int64) string
}

// API answers programs.
type API struct {
	frame  *frame.Frame
	events *events.Events
}

// New returns the API of its subjects.
func New(s Subjects, now func() time.Time, logger *zap.Logger) *API {
	f := frame.New(frame.Subjects{Tokens: s.Tokens, Sites: s.Sites, Answers: s.Answers, Now: now, Logger: logger},
		"What programs read and change of Frontdesk. Times are in RFC 3339, and sites are named by their keys.")
	effective := func(of site.Site) site.Settings {
		set, _ := s.Configured(of.Key)
		return of.Settings.Over(set)
	}
	inquiries.Mount(f, inquiries.Subjects{
		Leads: s.Leads, Inbox: s.Inbox, Refused: s.Refused, Calls: s.Calls, Chats: s.Chats, Callbacks: s.Callbacks, Operators: s.Operators, Groups: s.Groups,
		Visits: s.Visits, Limits: s.Limits, Effective: effective, Region: s.Region,
	})
	visitors.Mount(f, visitors.Subjects{Visits: s.Visits, Cards: s.Cards, Onsite: s.Onsite, Chats: s.Chats, Operators: s.Operators, Region: s.Region})
	persons.Mount(f, s.Persons)
	sites.Mount(f, sites.Subjects{Checks: s.Checks, Forms: s.Forms, Groups: s.Groups, Replies: s.Replies, Limits: s.Limits, Incidents: s.Incidents, Effective: effective})
	numbers.Mount(f, numbers.Subjects{
		Numbers: s.Numbers, Leases: s.Leases, Configured: s.Configured, Pools: s.Pools, Foresight: &foresight.Foresight{Sites: s.Sites, Leases: s.Leases, Hosts: s.Hosts, Now: now},
	})
	endpoints.Mount(f, s.Deliveries)
	destinations.Mount(f, s.Conversions)
	staff.Mount(f, staff.Subjects{Operators: s.Operators, SignIns: s.SignIns, TwoStep: s.TwoStep, Journal: s.Journal})
	reports.Mount(f, reports.Subjects{Reports: s.Reports, Costs: s.Costs, Overview: s.Overview, Effective: effective})
	handouts.Mount(f, handouts.Subjects{Saved: s.Saved, Links: s.Links, Bulletins: s.Bulletins, Operators: s.Operators, HasMail: s.Deliveries.HasMail, Effective: effective})
	api := &API{f, events.Mount(f, s.Journal)}
	f.Page("{$}", http.RedirectHandler(Path+"reference/", http.StatusSeeOther))
	f.Page("reference/", api.reference())
	return api
}

// reference serves the pages of the reference, which are made when the first of them is asked for.
func (a *API) reference() http.Handler {
	pages := sync.OnceValues(func() (*reference.Pages, error) {
		return reference.Render(a.Document(), Path+"reference/", Path+"openapi.json")
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		made, err := pages()
		if err != nil {
			a.frame.Logger.Error("the pages of the API's reference cannot be made", zap.Error(err))
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		made.ServeHTTP(w, r)
	})
}

// Close ends the streams of events, which would not end by themselves.
func (a *API) Close() { a.events.Close() }

// IsStream tells whether the request is for a stream of events, which ends when its reader wants.
func IsStream(r *http.Request) bool { return events.IsStream(r) }

// Document is the description of the API, OpenAPI 3.1.
func (a *API) Document() *huma.OpenAPI { return a.frame.Document() }

// ServeHTTP answers a call under [Path].
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.frame.ServeHTTP(w, r) }

// ServeAway answers a call while the database cannot be reached.
func ServeAway(w http.ResponseWriter) { frame.ServeAway(w) }
