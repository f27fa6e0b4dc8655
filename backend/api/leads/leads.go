// Package leads takes leads in: of the browser script, of customers' servers (the two server-side requests of the browser
// interface, sections 4.2 and 4.3), and of forms that have passed on their way to the site. What it refuses for a mistake
// in it is kept, for the owner of the site to see.
package leads

import (
	"hash/maphash"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// Leads takes leads in. It is safe for concurrent use.
type Leads struct {
	leads    *lead.Leads
	refusals *refused.Refusals
	visits   *visit.Visits
	keys     *key.Keys
	views    *view.Views
	observer Observer
	forms    *gate.Limits // of those who send forms to the site
	hiding   maphash.Seed // of visitors' addresses
}

// Observer is told what was not stored, for counting. It must not block.
type Observer interface {
	// Unkept is called for what was not kept since the visitor has not agreed, with what that was.
	Unkept(what string)
}

// How many forms one client may send in a second, and at once.
const formRate, formBurst = 5, 200

// New returns what takes leads in.
func New(leads *lead.Leads, refusals *refused.Refusals, visits *visit.Visits, keys *key.Keys, views *view.Views, observer Observer) *Leads {
	return &Leads{
		leads: leads, refusals: refusals, visits: visits, keys: keys, views: views, observer: observer,
		forms: gate.NewLimits(formBurst, time.Second/formRate), hiding: maphash.MakeSeed(),
	}
}

// Routes are those of leads.
func (l *Leads) Routes() []gate.Route {
	return []gate.Route{
		{Path: "v1/lead", Methods: gate.Post, Opens: gate.OfView, Serve: l.lead, Consent: true, Result: true},
		{Path: "api/add_offline_message", Methods: gate.Post, Opens: gate.OfView, Serve: l.addOfflineMessage, Server: true},
		{Path: "vc/s", Methods: gate.GetOrPost, Opens: gate.OfView, Serve: l.addVisitorInformation, Server: true},
	}
}
