// Package console is the web page in front of which operators sit: who is on
// the site now, what leads come in, and who is behind them.
//
// It puts rooms into a frame. Each room has its handlers, templates and routes, and asks for some subjects: what all
// rooms need is in frame, live, rows, words and session, and no room knows another. All that comes from visitors is
// treated as hostile text.
package console

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	chatoverview "github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/chat/rating"
	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/console/bulletins"
	"github.com/seed-3405227d/frontdesk/backend/console/calls"
	"github.com/seed-3405227d/frontdesk/backend/console/chats"
	"github.com/seed-3405227d/frontdesk/backend/console/conversions"
	"github.com/seed-3405227d/frontdesk/backend/console/costs"
	"github.com/seed-3405227d/frontdesk/backend/console/deliveries"
	"github.com/seed-3405227d/frontdesk/backend/console/door"
	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/help"
	"github.com/seed-3405227d/frontdesk/backend/console/inbox"
	"github.com/seed-3405227d/frontdesk/backend/console/inquiries"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/console/lookup"
	"github.com/seed-3405227d/frontdesk/backend/console/numbers"
	"github.com/seed-3405227d/frontdesk/backend/console/overview"
	"github.com/seed-3405227d/frontdesk/backend/console/people"
	"github.com/seed-3405227d/frontdesk/backend/console/pools"
	"github.com/seed-3405227d/frontdesk/backend/console/reports"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/session"
	"github.com/seed-3405227d/frontdesk/backend/console/settings"
	"github.com/seed-3405227d/frontdesk/backend/console/sites"
	"github.com/seed-3405227d/frontdesk/backend/console/staff"
	"github.com/seed-3405227d/frontdesk/backend/console/widget"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/inquiry"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	leadinbox "github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/invitation"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/preview"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/check"
	"github.com/seed-3405227d/frontdesk/backend/site/foresight"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/days"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
)

// Subjects are what the console shows.
type Subjects struct {
	DB          *db.DB // told of news by it
	Journal     *journal.Journal
	Sites       *site.Sites
	Checks      *check.Checks
	Limits      *limit.Uses
	Visits      *visit.Visits
	Cards       *card.Cards
	Onsite      *onsite.Visitors
	Days        *days.Days
	Leads       *lead.Leads
	Inbox       *leadinbox.Inbox
	Refused     *refused.Refusals
	Chats       *chat.Chats
	Replies     *reply.Replies
	Ratings     *rating.Ratings
	Operators   *operator.Operators
	SignIns     *signin.SignIns
	Invitations *invitation.Invitations
	TwoStep     *twostep.Steps
	Passkeys    *passkey.Passkeys
	Groups      *group.Groups
	Presence    *presence.Presence
	Numbers     *inventory.Inventory
	Calls       *call.Calls
	Callbacks   *callback.Callbacks
	Leases      *lease.Leases
	Previews    *preview.Previews
	Deliveries  *notify.Deliveries
	Conversions *conversion.Conversions
	Persons     *person.Persons
	Forms       *form.Forms
	Incidents   *incident.Incidents
	Reports     *report.Reports
	Saved       *saved.Reports
	ReportLinks *link.Links
	Bulletins   *bulletin.Bulletins
	Costs       *cost.Costs
	Tokens      *token.Tokens
	// Region is the country in whose way the visitors of a site write numbers: ISO 3166-1
	// alpha-2, or empty. It may be nil.
	Region func(ctx context.Context, siteID int64) string
	// Configured tells what this server's configuration says for the site of a key, if
	// it names the site. It may be nil.
	Configured func(key string) (site.Settings, bool)
	// Fixed is what this server's configuration says for the site of a key and what only whoever runs the server may
	// change. It may be nil.
	Fixed func(key string) []site.Fixed
	// Platforms are the names of the telephone platforms of this server's configuration. It may be nil.
	Platforms func() []string
	// Service is the URL under which this server's configuration has the service of the site of a key. It may be nil.
	Service func(key string) string
	// Hosts are those at which this server's configuration serves the site of a key. It
	// may be nil.
	Hosts func(key string) []string
	// Pools are those of this server's configuration. It may be nil.
	Pools func() number.ConfiguredPools
	// Spool tells what waits on the disk for the database. It may be nil.
	Spool func() spool.State
	// Required says who has to sign in with two steps. It may be nil, for nobody.
	Required func() twostep.Rule
	// WholeAddresses tells whether clients' addresses are logged whole. It may be nil.
	WholeAddresses func() bool
}

// Console serves the operators' pages at the root of a host of their own. The
// RemoteAddr of a request is taken for the client's address. A request whose URL
// has the scheme https came over TLS, if only to a proxy in front of this server.
type Console struct {
	live    *live.Live
	handler http.Handler
}

// New returns the console over its subjects.
func New(subjects Subjects, now func() time.Time, logger *zap.Logger) *Console {
	f, l, d := rooms(subjects, now, logger)
	return &Console{live: l, handler: f.Handler(d.Guard)}
}

// Patterns are those of all routes of a console, as [http.ServeMux] reads them.
func Patterns() []string {
	f, _, _ := rooms(Subjects{}, time.Now, zap.NewNop())
	return f.Patterns()
}

// rooms puts the rooms of the console into their frame, in the order of the menu.
func rooms(s Subjects, now func() time.Time, logger *zap.Logger) (*frame.Frame, *live.Live, *door.Door) {
	f := frame.New(frame.Subjects{
		Sites: s.Sites, Operators: s.Operators, SignIns: s.SignIns, Groups: s.Groups, Presence: s.Presence, Journal: s.Journal, Configured: s.Configured,
		Alarms: func(o operator.Operator, w *words.Tongue) []string { return alarmsFor(s, o, w) },
	}, now, logger)
	f.Files("GET /assets/{name}", frame.Assets)
	f.Files("GET /worker.js", frame.Worker)
	f.Reader("GET /hosts", frame.SuggestHosts(s.Sites))
	f.Reader("GET /{$}", func(w http.ResponseWriter, r *http.Request) error {
		http.Redirect(w, r, frame.FirstPage, http.StatusSeeOther)
		return nil
	})
	rows.Mount(f)
	figures.Mount(f)
	overview.Mount(f, overview.Subjects{Reports: s.Reports, Incidents: s.Incidents, Days: s.Days})
	l := live.New(f, s.DB)
	cards := &rows.Cards{Visitors: s.Cards, Onsite: s.Onsite, Leads: s.Leads, Leases: s.Leases, Calls: s.Calls, Callbacks: s.Callbacks, Chats: s.Chats}
	people.Mount(l, people.Subjects{Visits: s.Visits, Callbacks: s.Callbacks, Persons: s.Persons, Cards: cards, Region: s.Region})
	all := inquiry.New(inquiry.Subjects{DB: s.DB, Calls: s.Calls, Leads: s.Leads, Inbox: s.Inbox, Callbacks: s.Callbacks, Chats: s.Chats,
		Overview: chatoverview.New(s.DB, s.Chats), Visits: s.Visits, Visitors: s.Cards, Region: s.Region})
	inquiries.Mount(l, inquiries.Subjects{Inquiries: all, Visitors: s.Cards})
	inbox.Mount(l, inbox.Subjects{Leads: s.Leads, Inbox: s.Inbox, Refused: s.Refused, Forms: s.Forms, Callbacks: s.Callbacks, Calls: s.Calls, Cards: cards})
	chats.Mount(l, chats.Subjects{Chats: s.Chats, Overview: chatoverview.New(s.DB, s.Chats), Replies: s.Replies, Ratings: s.Ratings, Cards: cards})
	calls.Mount(l, calls.Subjects{Calls: s.Calls, Callbacks: s.Callbacks, Leads: s.Leads, Visitors: s.Cards, Region: s.Region, Service: s.Service})
	reports.Mount(f, reports.Subjects{Reports: s.Reports, Visitors: s.Cards, Visits: s.Visits, Calls: s.Calls, Callbacks: s.Callbacks, Chats: s.Chats, Leads: s.Leads, Saved: s.Saved, Links: s.ReportLinks})
	bulletins.Mount(f, s.Bulletins, s.Deliveries.HasMail)
	costs.Mount(f, s.Costs, s.Reports)
	numberings := rows.Numberings{Frame: f, Numbers: s.Numbers, Pools: s.Pools}
	numbers.Mount(f, numberings, numbers.Subjects{Foresight: &foresight.Foresight{Sites: s.Sites, Leases: s.Leases, Hosts: s.Hosts, Now: now}, Previews: s.Previews})
	pools.Mount(f, numberings, s.Leases, s.Visits)
	sites.Mount(l, sites.Subjects{Days: s.Days, Incidents: s.Incidents, Leads: s.Leads, Replies: s.Replies, Limits: s.Limits, Checks: s.Checks, There: s.there})
	help.Mount(f)
	lookup.Mount(f, lookup.Subjects{Visitors: s.Cards, Inbox: s.Inbox, Conversations: chatoverview.New(s.DB, s.Chats), Calls: s.Calls, Region: s.Region})
	widget.Mount(f)
	settings.Mount(f, settings.Subjects{Fixed: s.Fixed, Platforms: s.Platforms})
	deliveries.Mount(f, s.Deliveries)
	conversions.Mount(f, s.Conversions)
	staff.Mount(f, s.Tokens, s.Invitations, s.TwoStep, s.Passkeys)
	return f, l, door.Mount(f, door.Subjects{Invitations: s.Invitations, TwoStep: s.TwoStep, Passkeys: s.Passkeys, Required: s.Required, WholeAddresses: s.WholeAddresses})
}

// Close ends the open streams for good, and returns when they have ended.
func (c *Console) Close() { c.live.Close() }

// ServeHTTP answers a request for the console.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header(), r)
	c.handler.ServeHTTP(w, r)
}

// away is one for the process: it is the same whatever is configured. It is made when the first page is asked for
// before the database has been reached.
var away = sync.OnceValue(func() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /assets/{name}", frame.Assets)
	mux.HandleFunc("/", frame.New(frame.Subjects{}, time.Now, zap.NewNop()).Unavailable())
	return mux
})

// ServeAway answers in place of a console whose database has not been reached yet: it
// says so on every page, which tries again by itself.
func ServeAway(w http.ResponseWriter, r *http.Request) {
	protect(w.Header(), r)
	away().ServeHTTP(w, r)
}

// protect sets the headers of every answer: nothing of the console is framed,
// cached, or allowed to run anything but its own files.
func protect(h http.Header, r *http.Request) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"manifest-src 'self'; worker-src 'self'; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// With no-referrer, browsers send "Origin: null" with a form over plain HTTP, and
	// the form would be refused as another site's.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Cache-Control", "no-store")
	if session.Secure(r) {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// alarmsFor returns what is wrong with the server, and what to do, in words for those who can do something about it:
// the admins of all sites.
func alarmsFor(s Subjects, o operator.Operator, w *words.Tongue) (alarms []string) {
	if !frame.IsChief(o) {
		return nil
	}
	if trouble := s.DB.Trouble(); trouble != nil {
		what := "alarm.away"
		if errors.Is(trouble, db.ErrFull) {
			what = "alarm.full"
		}
		alarms = append(alarms, w.Text(what, "at", w.Exactly(trouble.Since)))
	}
	if s.Spool == nil {
		return alarms
	}
	state := s.Spool()
	if state.Waiting > 0 {
		alarms = append(alarms, w.Text("alarm.waiting", "n", state.Waiting))
	}
	switch {
	case state.Full():
		alarms = append(alarms, w.Text("alarm.noRoom"))
	case state.Trouble != nil:
		alarms = append(alarms, w.Text("alarm.unreserved"))
	}
	return alarms
}
