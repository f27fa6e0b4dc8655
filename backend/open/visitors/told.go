package visitors

import (
	"time"

	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// VisitSummary is a visit in a list.
type VisitSummary struct {
	VisitorID string        `json:"visitor_id" doc:"As in the browser interface."`
	VisitID   string        `json:"visit_id"`
	Name      string        `json:"name" doc:"The visitor's, as it was written; empty if it is not known, as the others."`
	Email     string        `json:"email"`
	Phone     string        `json:"phone" doc:"As it was written."`
	StartedAt time.Time     `json:"started_at"`
	LastAt    time.Time     `json:"last_at" doc:"When something happened last."`
	Views     int           `json:"views" doc:"How many page views it has."`
	Source    source.Source `json:"source" doc:"What brought the visitor."`
	UserAgent string        `json:"user_agent"`
	Language  string        `json:"language" doc:"Those that the browser asks for."`
}

// VisitorHere is somebody who is on a site now.
type VisitorHere struct {
	Site string `json:"site" doc:"The key of the site."`
	VisitSummary
	ViewID string `json:"view_id" doc:"The last page view."`
	URL    string `json:"url" doc:"The address of the page."`
	Title  string `json:"title"`
}

// PageView is a page that was looked at.
type PageView struct {
	ViewID string    `json:"view_id"`
	At     time.Time `json:"at"`
	URL    string    `json:"url"`
	Title  string    `json:"title"`
}

// VisitEvent is something that a page has told of its visitor.
type VisitEvent struct {
	ViewID   string    `json:"view_id"`
	At       time.Time `json:"at"`
	Category string    `json:"category"`
	Action   string    `json:"action"`
	Name     string    `json:"name"`
	Value    string    `json:"value" doc:"As the page has told it; empty for none."`
}

// Visit is a stay on the site.
type Visit struct {
	VisitID   string        `json:"visit_id"`
	StartedAt time.Time     `json:"started_at"`
	LastAt    time.Time     `json:"last_at"`
	Source    source.Source `json:"source" doc:"What brought the visitor."`
	Views     int           `json:"views" doc:"How many page views it has."`
	IsBot     bool          `json:"is_bot"`
	UserAgent string        `json:"user_agent"`
	Language  string        `json:"language"`
	Pages     []PageView    `json:"pages" nullable:"false" doc:"The latest first, at most 100."`
	Events    []VisitEvent  `json:"events" nullable:"false" doc:"The latest first, at most 100."`
	IsCut     bool          `json:"is_cut" doc:"There are more pages or events than are told: of a visit 100 of each, and of a visitor half a megabyte."`
}

// VisitorContact is a phone or an e-mail.
type VisitorContact struct {
	Value   string    `json:"value" doc:"By which it is compared: a phone as digits in international form."`
	Written string    `json:"written" doc:"As it was written."`
	At      time.Time `json:"at"`
}

// Property is a name that a page has given to the visitor.
type Property struct {
	Name  string    `json:"name"`
	Value *string   `json:"value" doc:"Null for a flag."`
	At    time.Time `json:"at"`
}

// Visitor is what is known of a visitor. All lists have the latest first.
type Visitor struct {
	Site       string           `json:"site" doc:"The key of the site."`
	VisitorID  string           `json:"visitor_id" doc:"As in the browser interface."`
	FirstAt    time.Time        `json:"first_at"`
	LastAt     time.Time        `json:"last_at"`
	IsHere     bool             `json:"is_here" doc:"The visitor is on the site now."`
	Name       string           `json:"name"`
	Emails     []VisitorContact `json:"emails" nullable:"false"`
	Phones     []VisitorContact `json:"phones" nullable:"false"`
	Properties []Property       `json:"properties" nullable:"false"`
	Visits     []Visit          `json:"visits" nullable:"false" doc:"At most 20."`
}

// mostTold is how many bytes the pages and events of a visitor have at most together.
const mostTold = 512 << 10

func contactsOf(list []contact.Contact) []VisitorContact {
	told := []VisitorContact{}
	for _, c := range list {
		told = append(told, VisitorContact{c.Value, c.Written, c.At.UTC()})
	}
	return told
}

// visitOf is the visit with as many of its pages and events as there is room for.
func visitOf(v card.Visit, left *int) Visit {
	told := Visit{
		VisitID: id(v.ID), StartedAt: v.StartedAt.UTC(), LastAt: v.LastAt.UTC(), Source: v.Source, Views: v.Views, IsBot: v.Bot, UserAgent: v.UserAgent, Language: v.Language,
		Pages: []PageView{}, Events: []VisitEvent{}, IsCut: len(v.Pages) < v.Views,
	}
	fits := func(size int) bool {
		if *left < size {
			*left, told.IsCut = 0, true
			return false
		}
		*left -= size
		return true
	}
	const around = 100 // bytes of names and numbers
	for _, p := range v.Pages {
		if !fits(len(p.URL) + len(p.Title) + around) {
			break
		}
		told.Pages = append(told.Pages, PageView{id(p.ID), p.At.UTC(), p.URL, p.Title})
	}
	for _, e := range v.Events {
		if !fits(e.Size() + around) {
			break
		}
		told.Events = append(told.Events, VisitEvent{id(e.View), e.At.UTC(), e.Category, e.Action, e.Name, e.Value})
	}
	return told
}
