// Package lead keeps leads, which visitors send from a site's forms: what was asked,
// by whom, from which page, and which source had brought them.
//
// A lead arrives by the browser script or by a request of the site's server. It is acknowledged only when it is
// durable, and however often the same request comes, it is one lead.
package lead

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// The ways by which a lead arrives.
const (
	Script = "script" // addOfflineRequest in the browser
	Server = "server" // a request of the site's server
	Form   = "form"   // a form post captured on its way to the site
	Chat   = "chat"   // a conversation that nobody has answered in time
	Missed = "missed" // a telephone call that nobody has answered
	Call   = "call"   // another telephone call, of which an operator has made a lead
	// Program is a program that has told of it over the public API: of somebody who has come or written elsewhere.
	Program = "program"
)

// Added is the kind of the journal's entry for a new lead. Its subject is the lead, and its data says no more than
// which kind of lead it is: {"origin","is_sale","form_name","marks"}, the last two where there are any. Who sent it is
// read with [Leads.Get], so that erasing a lead erases the person.
const Added = "lead.added"

// Lead is a stored request (browser interface, section 2.2). Texts are as the sender wrote them, HTML and line breaks
// included, and are empty when nothing was sent.
type Lead struct {
	ID     int64
	SiteID int64
	// Ref is the page view from which the lead was sent.
	visit.Ref
	// At is when the lead arrived, to the millisecond.
	At time.Time
	// Origin is one of the constants above, and Also are the further ways by which the same request has come.
	Origin string
	Also   []string

	Name  string
	Email string
	// Phone is as written; PhoneDigits is the same number in international form, for comparing and dialling, and
	// PhoneExtension what is dialled behind it. Both are empty where it is not known which number is meant.
	Phone, PhoneDigits, PhoneExtension string
	Message                            string
	// IsSale marks a sale. SaleCost is its amount as a decimal with a point,
	// such as "1500.50", or empty for a sale of unknown amount.
	IsSale   bool
	SaleCost string
	// GroupID is the group of operators that the lead is for; 0 for none.
	GroupID int64
	// FormName is the name that the site gave to the form.
	FormName string
	// UserFields are the site's own fields by their names.
	UserFields map[string]string

	// URL is the address of the page, when the sender told it.
	URL string
	// Source is what brought the visitor to the visit of the lead.
	Source source.Source
	// Marks say what speaks for the lead's being made by a program: Trap, Quick, Bot, Repeated.
	Marks []string
	// SiteError is the status, 400 or more, with which the site has answered the form; 0 where it has not failed. A
	// lead of which it failed and which the visitor has sent once more has none.
	SiteError int

	// State is how far operators have come with it, and Owner the operator who has it; 0 for
	// nobody. Both are changed by [Leads.SetState] and [Leads.Give].
	State State
	Owner int64
	// Tags are the words by which operators sort it, in order. They are changed by [Leads.SetTags].
	Tags []string
	// MergedInto is the lead of the same site that it is a part of; 0 for none.
	MergedInto int64
}

// Origins are all of them.
var Origins = []string{Script, Server, Form, Chat, Missed, Call, Program}

// OfCall tells whether the lead has come by a telephone call. Then its sender has written nothing.
func (l Lead) OfCall() bool { return l.Origin == Missed || l.Origin == Call }

// Leads keeps the leads of all sites. It is safe for concurrent use.
type Leads struct {
	db     *db.DB
	visits *visit.Visits
	texts  *quota.Texts
	now    func() time.Time
	ids    *db.Sequence

	deedIDs *db.Sequence
	stored  func(origin string)
	numbers func(ctx context.Context, tx db.Tx, siteID int64, visitor visit.ID, at time.Time) ([]string, error)
}

// Subjects are what leads need.
type Subjects struct {
	DB     *db.DB
	Visits *visit.Visits
	Texts  *quota.Texts
	// Numbers says which numbers of pools a visitor has at a time, so that leads are found by them. nil says none.
	Numbers func(ctx context.Context, tx db.Tx, siteID int64, visitor visit.ID, at time.Time) ([]string, error)
	// Stored is called with the origin of each new lead. It must not block, and may be nil.
	Stored func(origin string)
}

// New returns the leads of the database.
func New(s Subjects, now func() time.Time) *Leads {
	return &Leads{
		db: s.DB, visits: s.Visits, texts: s.Texts, now: now, numbers: s.Numbers, stored: s.Stored,
		ids: s.DB.Sequence("leads", 1024), deedIDs: s.DB.Sequence("lead_deeds", 64),
	}
}
