package console

import (
	"fmt"
	"slices"
	"strings"
	"time"

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
	return strings.ToUpper(name[:1]) + name[1:]
}

func guestOf(w *words, f frame, v visit.LiveVisit) guest {
	g := guest{
		Key:     fmt.Sprintf("visit-%d-%d", v.SiteID, v.Session),
		Link:    cardLink(v.SiteID, int64(v.Visitor)),
		Known:   true,
		Mobile:  strings.Contains(v.UserAgent, "Mobi"),
		Site:    f.SiteKey(v.SiteID),
		Title:   v.Title,
		Now:     pageOf(v.URL),
		Source:  sourceOf(w, v.Source),
		Started: v.StartedAt,
		Seen:    v.LastAt,
		Hits:    v.Hits,
	}
	g.Label = firstOf(v.Name, writtenPhone(v.Phone), v.Email)
	if g.Label == "" {
		g.Known, g.Label = false, visitorLabel(w, int64(v.Visitor))
	}
	for i, p := range v.Path {
		if i < len(v.Path)-1 { // the last is the page that is looked at
			g.Trail = append(g.Trail, pageOf(p.URL))
		}
	}
	if most := 3; len(g.Trail) > most {
		g.Trail = g.Trail[len(g.Trail)-most:]
	}
	g.state = fmt.Sprint(g.Label, v.Title, v.URL, v.Hits, v.LastAt.UnixMilli())
	return g
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

// writtenPhone formats a number that was written with its country's code, and
// leaves others as they are.
func writtenPhone(written string) string {
	return phone(visit.NormalizePhone(written, ""), written)
}

// card is a visitor, as shown.
type card struct {
	ID, SiteID         int64
	Label              string
	Known              bool
	Here               bool // on the site now
	First              time.Time
	Name               string
	Phones             []contactPhone
	Emails             []string
	Properties         []field
	Leads              []leadRow
	Visits             []stay
	Browser, UserAgent string
	Language           string
}

// Reach is how to reach the visitor: by what was given last.
func (c card) Reach() (r reach) {
	if len(c.Phones) > 0 {
		r.PhoneDigits = c.Phones[0].PhoneDigits
	}
	if len(c.Emails) > 0 {
		r.Email = c.Emails[0]
	}
	return r
}

// reach are the numbers and addresses behind the buttons that call and write.
type reach struct{ PhoneDigits, Email string }

type contactPhone struct{ PhoneDigits, Phone string }

// stay is a session on a visitor's card.
type stay struct {
	Open     bool
	Started  time.Time
	Source   source
	Hits     int
	Campaign []field // what else is known of the source
	Steps    []step
}

// step is a page view or an event, newest first.
type step struct {
	Kind    string // page or event
	At      time.Time
	Title   []string
	Details []string
	Page    page
}

func cardOf(w *words, siteID int64, found visit.Card) card {
	c := card{ID: int64(found.Visitor), SiteID: siteID, First: found.FirstAt, Name: found.Name, Here: found.Here}
	for _, p := range found.Phones {
		c.Phones = append(c.Phones, contactPhone{p.Value, p.Written})
	}
	for _, e := range found.Emails {
		c.Emails = append(c.Emails, e.Written)
	}
	for _, p := range found.Properties {
		property := field{Name: p.Name}
		if p.Value != nil {
			property.Value = *p.Value
		}
		c.Properties = append(c.Properties, property)
	}
	names := []string{found.Name}
	for _, p := range c.Phones {
		names = append(names, phone(p.PhoneDigits, p.Phone))
	}
	c.Label = firstOf(append(names, c.Emails...)...)
	c.Known = c.Label != ""
	if !c.Known {
		c.Label = visitorLabel(w, c.ID)
	}
	for i, s := range found.Sessions {
		if i == 0 {
			c.UserAgent, c.Browser, c.Language = s.UserAgent, browserOf(s.UserAgent), w.languageOf(s.Language)
		}
		c.Visits = append(c.Visits, stayOf(w, s, i == 0))
	}
	return c
}

func stayOf(w *words, s visit.Session, open bool) stay {
	shown := stay{Open: open, Started: s.StartedAt, Source: sourceOf(w, s.Source), Hits: s.Hits}
	for _, f := range []field{
		{"card.campaign", s.Source.Campaign}, {"card.term", s.Source.Term}, {"card.content", s.Source.Content},
		{"card.click", strings.Trim(s.Source.ClickIDName+" "+s.Source.ClickID, " ")},
		{"card.referrer", s.Source.Referrer}, {"card.landing", s.Source.Landing},
	} {
		if f.Value != "" {
			shown.Campaign = append(shown.Campaign, field{w.text(f.Name), f.Value})
		}
	}
	for _, p := range s.Pages {
		shown.Steps = append(shown.Steps, step{Kind: "page", At: p.At, Title: parts(p.Title), Page: pageOf(p.URL)})
	}
	for _, e := range s.Events {
		shown.Steps = append(shown.Steps, step{Kind: "event", At: e.At, Title: parts(e.Category, e.Action), Details: parts(e.Name, e.Value)})
	}
	slices.SortStableFunc(shown.Steps, func(a, b step) int { return b.At.Compare(a.At) })
	return shown
}
