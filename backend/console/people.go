package console

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

func cardLink(siteID, visitor int64) string {
	return fmt.Sprintf("/visitors/%d/%d", siteID, visitor)
}

// visitorLabel names a visitor of whom nothing is known, by the end of the
// number: enough to tell apart those who are there at once.
func visitorLabel(w *words, visitor int64) string {
	return w.text("visitor.unnamed", "tail", fmt.Sprintf("%05d", visitor%100000))
}

// source is where a visitor came from, as it is shown.
type source struct {
	Icon, Name string
	Details    []string
}

var sourceIcons = map[string]string{
	visit.Campaign: "megaphone", visit.Ad: "megaphone", visit.Search: "search", visit.Social: "share-2", visit.Map: "map-pin",
	visit.Mail: "at-sign", visit.Referral: "external-link", visit.Direct: "globe",
}

func sourceOf(w *words, s visit.Source) source {
	kind := s.Kind
	if sourceIcons[kind] == "" {
		if kind = "other"; s.Kind == "" {
			kind = visit.Direct
		}
	}
	shown := source{Icon: sourceIcons[kind], Name: s.Source}
	if shown.Icon == "" {
		shown.Icon = "globe"
	}
	if shown.Name == "" {
		shown.Name = s.Referrer
	}
	if kind != visit.Campaign { // whose names are the marketer's own
		shown.Name = brand(shown.Name)
	}
	details := []string{s.Medium, s.Campaign}
	if shown.Name == "" {
		shown.Name = w.text("source." + kind)
	} else if s.Medium == "" && s.Campaign == "" {
		details = []string{w.text("source." + kind)}
	}
	shown.Details = parts(details...)
	return shown
}

// brands are names that a capital letter alone does not make right.
var brands = map[string]string{
	"vk": "VK", "ok": "OK", "aol": "AOL", "youtube": "YouTube", "tiktok": "TikTok", "linkedin": "LinkedIn", "whatsapp": "WhatsApp",
	"duckduckgo": "DuckDuckGo", "chatgpt": "ChatGPT",
}

// brand is the name of a system as it writes itself. Hosts stay as they are.
func brand(name string) string {
	if known := brands[name]; known != "" {
		return known
	}
	if name == "" || strings.Contains(name, ".") {
		return name
	}
	first, size := utf8.DecodeRuneInString(name)
	if first == utf8.RuneError {
		return name
	}
	return string(unicode.ToTitle(first)) + name[size:]
}

// firstOf is the first of the texts that says anything.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}

// card is a visitor, as shown.
type card struct {
	ID, SiteID         int64
	Label              string
	Known              bool
	Here               bool // on the site now
	First              time.Time
	Name               string
	Contacts           folded[contact]
	Properties         folded[field]
	Leads              folded[leadRow]
	Calls              folded[callRow]
	Callbacks          folded[callbackRow]
	Visits             []stay // the steps of which are shown on demand
	Reach              reach
	Browser, UserAgent string
	Language           string
}

type contactPhone struct{ PhoneDigits, PhoneExtension, Phone string }

func contactPhoneOf(c visit.Contact) contactPhone {
	phone := c.Phone()
	return contactPhone{phone.Digits, phone.Extension, c.Written}
}

func (p contactPhone) text(w *words) string { return w.phone(p.PhoneDigits, p.PhoneExtension, p.Phone) }

// reach are the numbers and addresses behind the buttons that call and write.
type reach struct {
	PhoneDigits, Email string
	Back               string // where the number can be called by the telephone platform; empty where it cannot
}

// contact is a phone or an e-mail.
type contact struct {
	Text, Email string
	contactPhone
}

// folded is a list of which the first few are shown, and all on demand.
type folded[T any] struct{ First, Rest []T }

func fold[T any](list []T, first int) folded[T] {
	if len(list) <= first+1 { // a line that says that there is one more is a line, too
		return folded[T]{First: list}
	}
	return folded[T]{list[:first], list[first:]}
}

// All counts the list.
func (f folded[T]) All() int { return len(f.First) + len(f.Rest) }

// How many of a card's lists are shown at first.
const firstContacts, firstProperties, firstLeads = 4, 8, 5

// stay is a session on a visitor's card.
type stay struct {
	Session  visit.ID
	Open     bool
	Started  time.Time
	Source   source
	Hits     int
	Campaign []field // what else is known of the source, and the numbers that were leased
	Steps    []step
	Shown    []template.HTML // of the steps
	More     string          // address of the card with further steps; empty when all are shown
}

// step is a page view, an event, a lead or a call, newest first.
type step struct {
	Kind     string // page, event, lead, call or callback
	At       time.Time
	Title    []string
	Details  []string
	Page     page
	Lead     leadRow
	Call     callRow
	Callback callbackRow
}

func cardOf(w *words, siteID int64, found visit.Card, leads []leadRow, leases []number.Lease) card {
	c := card{ID: int64(found.Visitor), SiteID: siteID, First: found.FirstAt, Name: found.Name, Here: found.Here}
	names := []string{found.Name}
	var contacts []contact
	for _, p := range found.Phones {
		called := contactPhoneOf(p)
		names = append(names, called.text(w))
		contacts = append(contacts, contact{Text: "contact.phone", contactPhone: called})
		c.Reach.PhoneDigits = firstOf(c.Reach.PhoneDigits, called.PhoneDigits)
	}
	for _, e := range found.Emails {
		names = append(names, e.Written)
		contacts = append(contacts, contact{Text: "contact.email", Email: e.Written})
		c.Reach.Email = firstOf(c.Reach.Email, e.Written)
	}
	var properties []field
	for _, p := range found.Properties {
		property := field{Name: p.Name}
		if p.Value != nil {
			property.Value = *p.Value
		}
		properties = append(properties, property)
	}
	c.Contacts, c.Properties, c.Leads = fold(contacts, firstContacts), fold(properties, firstProperties), fold(leads, firstLeads)
	c.Label = firstOf(names...)
	c.Known = c.Label != ""
	if !c.Known {
		c.Label = visitorLabel(w, c.ID)
	}
	for i, s := range found.Sessions {
		if i == 0 {
			c.UserAgent, c.Browser, c.Language = s.UserAgent, browserOf(s.UserAgent), w.languageOf(s.Language)
		}
		c.Visits = append(c.Visits, stayOf(w, s, leads, leases, i == 0))
	}
	return c
}

func stayOf(w *words, s visit.Session, leads []leadRow, leases []number.Lease, open bool) stay {
	shown := stay{Session: s.ID, Open: open, Started: s.StartedAt, Source: sourceOf(w, s.Source), Hits: s.Hits}
	for _, f := range []field{
		{"card.campaign", s.Source.Campaign}, {"card.term", s.Source.Term}, {"card.content", s.Source.Content},
		{"card.click", strings.Trim(s.Source.ClickIDName+" "+s.Source.ClickID, " ")},
		{"card.referrer", s.Source.Referrer}, {"card.landing", s.Source.Landing},
	} {
		if f.Value != "" {
			shown.Campaign = append(shown.Campaign, field{w.text(f.Name), f.Value})
		}
	}
	for _, l := range leases {
		if shownTo := (field{w.text("card.shown"), phone(l.Digits, "")}); l.Session == s.ID && !slices.Contains(shown.Campaign, shownTo) {
			shown.Campaign = append(shown.Campaign, shownTo)
		}
	}
	for _, p := range s.Pages {
		shown.Steps = append(shown.Steps, step{Kind: "page", At: p.At, Title: parts(p.Title), Page: pageOf(p.URL)})
	}
	for _, e := range s.Events {
		shown.Steps = append(shown.Steps, step{Kind: "event", At: e.At, Title: parts(e.Category, e.Action), Details: parts(e.Name, e.Value)})
	}
	for _, l := range leads {
		if l.Session == s.ID {
			shown.Steps = append(shown.Steps, step{Kind: "lead", At: l.At, Lead: l})
		}
	}
	shown.sort()
	return shown
}

// sort brings the steps into their order, the latest first.
func (s *stay) sort() {
	slices.SortStableFunc(s.Steps, func(a, b step) int { return b.At.Compare(a.At) })
}

// add puts a step among those of the visit in which it was made.
func (c *card) add(session visit.ID, made step) {
	for i := range c.Visits {
		if s := &c.Visits[i]; s.Session == session {
			s.Steps = append(s.Steps, made)
			s.sort()
		}
	}
}

// sourcesIn are the kinds of sources.
func sourcesIn(w *words) (options []option) {
	for _, kind := range visit.Kinds {
		options = append(options, option{kind, w.text("source." + kind)})
	}
	return options
}
