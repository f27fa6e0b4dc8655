package rows

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
)

func CardLink(siteID, visitor int64) string {
	return fmt.Sprintf("/visitors/%d/%d", siteID, visitor)
}

// VisitorLabel names a visitor of whom nothing is known, by the end of the
// number: enough to tell apart those who are there at once.
func VisitorLabel(w *words.Tongue, visitor int64) string {
	return w.Text("visitor.unnamed", "tail", fmt.Sprintf("%05d", visitor%100000))
}

// FirstOf is the first of the texts that says anything.
func FirstOf(texts ...string) string {
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}

// Card is a visitor, as shown.
type Card struct {
	ID, SiteID         int64
	Label              string
	Known              bool
	Here               bool // on the site now
	First              time.Time
	Name               string
	Phone, Email       contact.Contact // the latest ones, which can be corrected
	Back               string          // where a correction leads back to; empty where there is nobody to correct
	Contacts           folded[shownContact]
	Properties         folded[Field]
	Leads              folded[LeadRow]
	Calls              folded[CallRow]
	Callbacks          folded[CallbackRow]
	Conversation       *Conversation // nil for none
	Writes             string        // where an operator may write to the visitor, who has not asked; empty where not
	Visits             []Stay        // the steps of which are shown on demand
	Reach              Reach
	Browser, UserAgent string
	Language           string
}

type contactPhone struct{ PhoneDigits, PhoneExtension, Phone string }

func ContactPhoneOf(c contact.Contact) contactPhone {
	phone := c.Phone()
	return contactPhone{phone.Digits, phone.Extension, c.Written}
}

func (p contactPhone) Text(w *words.Tongue) string {
	return w.Phone(p.PhoneDigits, p.PhoneExtension, p.Phone)
}

// shownContact is a phone or an e-mail.
type shownContact struct {
	Text, Email string
	contactPhone
}

// folded is a list of which the first few are shown, and all on demand.
type folded[T any] struct{ First, Rest []T }

func Fold[T any](list []T, first int) folded[T] {
	if len(list) <= first+1 { // a line that says that there is one more is a line, too
		return folded[T]{First: list}
	}
	return folded[T]{list[:first], list[first:]}
}

// All counts the list.
func (f folded[T]) All() int { return len(f.First) + len(f.Rest) }

// How many of a card's lists are shown at first.
const firstContacts, firstProperties, firstLeads = 4, 8, 5

// Stay is a visit on a visitor's card.
type Stay struct {
	Visit    visit.ID
	Open     bool
	Started  time.Time
	Source   Source
	Views    int
	Campaign []Field // what else is known of the source, and the numbers that were leased
	Steps    []Step
	Shown    []template.HTML // of the steps
	More     string          // address of the card with further steps; empty when all are shown
}

// Step is a page view, an event, a lead, a call, a callback or what was written in the chat, newest first.
type Step struct {
	Kind         string // page, event, lead, call, callback or chat
	At           time.Time
	Title        []string
	Details      []string
	Page         words.Address
	Lead         LeadRow
	Call         CallRow
	Callback     CallbackRow
	Said         string // in the conversation
	Conversation *Conversation
}

func cardOf(w *words.Tongue, siteID int64, found card.Card, leads []LeadRow, leases []lease.Lease) Card {
	c := Card{ID: int64(found.Visitor), SiteID: siteID, First: found.FirstAt, Name: found.Name}
	names := []string{found.Name}
	var contacts []shownContact
	for _, p := range found.Phones {
		if c.Phone.Value == "" {
			c.Phone = p
		}
		called := ContactPhoneOf(p)
		names = append(names, called.Text(w))
		contacts = append(contacts, shownContact{Text: "contact.phone", contactPhone: called})
		c.Reach.PhoneDigits = FirstOf(c.Reach.PhoneDigits, called.PhoneDigits)
	}
	for _, e := range found.Emails {
		if c.Email.Value == "" {
			c.Email = e
		}
		names = append(names, e.Written)
		contacts = append(contacts, shownContact{Text: "contact.email", Email: e.Written})
		c.Reach.Email = FirstOf(c.Reach.Email, e.Written)
	}
	var properties []Field
	for _, p := range found.Properties {
		property := Field{Name: p.Name}
		if p.Value != nil {
			property.Value = *p.Value
		}
		properties = append(properties, property)
	}
	c.Contacts, c.Properties, c.Leads = Fold(contacts, firstContacts), Fold(properties, firstProperties), Fold(leads, firstLeads)
	c.Label = FirstOf(names...)
	c.Known = c.Label != ""
	if !c.Known {
		c.Label = VisitorLabel(w, c.ID)
	}
	for i, s := range found.Visits {
		if i == 0 {
			c.UserAgent, c.Browser, c.Language = s.UserAgent, words.BrowserOf(s.UserAgent), w.LanguageOf(s.Language)
		}
		c.Visits = append(c.Visits, stayOf(w, s, leads, leases, i == 0))
	}
	return c
}

func stayOf(w *words.Tongue, s card.Visit, leads []LeadRow, leases []lease.Lease, open bool) Stay {
	shown := Stay{Visit: s.ID, Open: open, Started: s.StartedAt, Source: SourceOf(w, s.Source), Views: s.Views}
	for _, f := range []Field{
		{"card.campaign", s.Source.Campaign}, {"card.term", s.Source.Term}, {"card.content", s.Source.Content},
		{"card.click", strings.Trim(s.Source.ClickIDName+" "+s.Source.ClickID, " ")},
		{"card.referrer", s.Source.Referrer}, {"card.landing", s.Source.Landing},
	} {
		if f.Value != "" {
			shown.Campaign = append(shown.Campaign, Field{w.Text(f.Name), f.Value})
		}
	}
	for _, l := range leases {
		if shownTo := (Field{w.Text("card.shown"), words.Phone(l.Digits, "")}); l.Visit == s.ID && !slices.Contains(shown.Campaign, shownTo) {
			shown.Campaign = append(shown.Campaign, shownTo)
		}
	}
	for _, p := range s.Pages {
		shown.Steps = append(shown.Steps, Step{Kind: "page", At: p.At, Title: words.Parts(p.Title), Page: words.AddressOf(p.URL)})
	}
	for _, e := range s.Events {
		shown.Steps = append(shown.Steps, Step{Kind: "event", At: e.At, Title: words.Parts(e.Category, e.Action), Details: words.Parts(e.Name, e.Value)})
	}
	for _, l := range leads {
		if l.Visit == s.ID {
			shown.Steps = append(shown.Steps, Step{Kind: "lead", At: l.At, Lead: l})
		}
	}
	shown.sort()
	return shown
}

// sort brings the steps into their order, the latest first.
func (s *Stay) sort() {
	slices.SortStableFunc(s.Steps, func(a, b Step) int { return b.At.Compare(a.At) })
}

// Add puts a step among those of the visit in which it was made.
func (c *Card) Add(visitID visit.ID, made Step) {
	for i := range c.Visits {
		if s := &c.Visits[i]; s.Visit == visitID {
			s.Steps = append(s.Steps, made)
			s.sort()
		}
	}
}

const (
	// maxCardLeads is how many leads a visitor's card shows.
	maxCardLeads = 50
	// maxCardCalls is how many calls a visitor's card shows, firstCalls how many at first.
	maxCardCalls = 50
	firstCalls   = 5
	// maxCardCallbacks is how many callbacks a visitor's card shows.
	maxCardCallbacks = 50
)

// Cards fill visitors' cards.
type Cards struct {
	Visitors  *card.Cards
	Onsite    *onsite.Visitors
	Leads     *lead.Leads
	Leases    *lease.Leases
	Calls     *call.Calls
	Callbacks *callback.Callbacks
	Chats     *chat.Chats
}

// Of is the visitor's card with all that has happened: leads, the numbers that were shown, calls, callbacks and what was
// written in the chat, and whether the visitor is there.
func (c *Cards) Of(ctx context.Context, p frame.Page, siteID int64, found card.Card) (shown Card, err error) {
	leads, err := c.Leads.OfVisitor(ctx, siteID, found.Visitor, maxCardLeads)
	if err != nil {
		return shown, err
	}
	leases, err := c.Leases.OfVisitor(ctx, siteID, found.Visitor)
	if err != nil {
		return shown, err
	}
	requests := frame.Rows(p, leads, LeadRowOf)
	shown = cardOf(p.Words, siteID, found, requests, leases)
	calls, err := c.Calls.OfVisitor(ctx, siteID, found.Visitor, maxCardCalls)
	if err != nil {
		return shown, err
	}
	if shown.Here, err = c.Onsite.Here(ctx, siteID, found.Visitor); err != nil {
		return shown, err
	}
	rows := frame.Rows(p, calls, CallRowOf)
	for i, one := range calls {
		if at := slices.IndexFunc(requests, func(l LeadRow) bool { return l.ID == one.LeadID }); at >= 0 {
			rows[i].Lead = &requests[at]
		}
	}
	shown.Calls = Fold(rows, firstCalls)
	for _, row := range rows {
		shown.Add(row.Visit, Step{Kind: "call", At: row.At, Call: row})
	}
	callbacks, err := c.Callbacks.List(ctx, callback.Filter{Sites: scope.Of(siteID), Visitor: found.Visitor}, maxCardCallbacks)
	if err != nil {
		return shown, err
	}
	lines := frame.Rows(p, callbacks, CallbackRowOf)
	shown.Callbacks = Fold(lines, firstCalls)
	for _, row := range lines {
		shown.Add(row.Visit, Step{Kind: "callback", At: row.CreatedAt, Callback: row})
	}
	shown.Back = p.Here
	if err := c.addConversation(ctx, &shown); err != nil {
		return shown, err
	}
	shown.Writes = shown.writes()
	return shown, nil
}
