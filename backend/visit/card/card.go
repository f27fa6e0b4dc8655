// Package card reads what is known of single visitors: their names, contacts and properties, and what they did in their
// latest visits.
package card

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Card is what is known of a visitor. Its lists are newest first.
type Card struct {
	Visitor         key.ID
	FirstAt, LastAt time.Time
	Name            string
	Emails, Phones  []contact.Contact
	Properties      []Property
	// Visits are the last 20, each with its last 100 page views and events.
	Visits []Visit
}

// Property is a name that the site's page has given to the visitor. The Value of a flag is nil.
type Property struct {
	Name  string
	Value *string
	At    time.Time
}

// Visit is one stay on the site.
type Visit struct {
	ID                  key.ID
	StartedAt, LastAt   time.Time
	Source              source.Source
	Views               int
	Bot                 bool
	UserAgent, Language string
	Pages               []Page
	Events              []TrackedEvent
}

// TrackedEvent is a stored event.
type TrackedEvent struct {
	visit.UserEvent
	View key.ID
	At   time.Time
}

// Cards reads cards. It is safe for concurrent use.
type Cards struct {
	db   *db.DB
	keys *key.Keys
}

// New returns the cards of the database, which has to be migrated.
func New(d *db.DB, keys *key.Keys) *Cards { return &Cards{d, keys} }

const (
	cardVisits = 20
	cardRows   = 100
	cardSearch = 1000 // rows of a visit that are searched for the latest
)

// Card returns what is known of the visitor. The error is [visit.ErrUnknown] if the visitor is not known.
func (cards *Cards) Card(ctx context.Context, siteID int64, visitor key.ID) (Card, error) {
	c, err := cards.card(ctx, siteID, cards.keys.Visitors.Number(visitor))
	if err != nil {
		return Card{}, fmt.Errorf("reading a visitor's card: %w", err)
	}
	c.Visitor = visitor
	return c, nil
}

func (cards *Cards) card(ctx context.Context, siteID, visitor int64) (Card, error) {
	var c Card
	read := cards.db.Read()
	type person struct {
		firstAt int64
		name    string
	}
	known, found, err := db.One(ctx, read, func(p *person) []any { return []any{&p.firstAt, &p.name} },
		`SELECT first_at, name FROM visitors WHERE site_id = $1 AND id = $2`, siteID, visitor)
	if err != nil {
		return c, err
	}
	if !found {
		return c, visit.ErrUnknown
	}
	c.FirstAt, c.Name = time.UnixMilli(known.firstAt), known.name
	c.LastAt = c.FirstAt

	type contactRow struct {
		contact.Contact
		kind string
		at   int64
	}
	contacts, err := db.List(ctx, read, func(c *contactRow) []any { return []any{&c.kind, &c.Value, &c.Written, &c.at} },
		`SELECT kind, value, written, at FROM contacts WHERE site_id = $1 AND visitor_id = $2 ORDER BY at DESC, value`, siteID, visitor)
	if err != nil {
		return c, err
	}
	for _, found := range contacts {
		found.At = time.UnixMilli(found.at)
		if found.kind == "email" {
			c.Emails = append(c.Emails, found.Contact)
		} else {
			c.Phones = append(c.Phones, found.Contact)
		}
	}

	type property struct {
		Property
		at int64
	}
	properties, err := db.List(ctx, read, func(p *property) []any { return []any{&p.Name, &p.Value, &p.at} },
		`SELECT name, value, at FROM properties WHERE site_id = $1 AND visitor_id = $2 ORDER BY at DESC, name`, siteID, visitor)
	if err != nil {
		return c, err
	}
	for _, p := range properties {
		p.At = time.UnixMilli(p.at)
		c.Properties = append(c.Properties, p.Property)
	}
	if c.Visits, err = cards.visits(ctx, siteID, visitor); err != nil {
		return c, err
	}
	for _, v := range c.Visits {
		if v.LastAt.After(c.LastAt) {
			c.LastAt = v.LastAt
		}
	}
	return c, nil
}

func (cards *Cards) visits(ctx context.Context, siteID, visitor int64) ([]Visit, error) {
	read := cards.db.Read()
	type stay struct {
		Visit
		number, startedAt, lastAt int64
	}
	stays, err := db.List(ctx, read, func(s *stay) []any {
		return append([]any{&s.number, &s.startedAt, &s.lastAt, &s.Views, &s.Bot, &s.UserAgent, &s.Language}, s.Source.Fields()...)
	}, `SELECT id, started_at, last_at, views, bot, user_agent, language, `+source.Columns+`
		FROM visits WHERE site_id = $1 AND visitor_id = $2 ORDER BY started_at DESC, id DESC LIMIT $3`, siteID, visitor, cardVisits)
	if err != nil || len(stays) == 0 {
		return nil, err
	}
	visits := make([]Visit, len(stays))
	at := make(map[int64]*Visit, len(stays))
	ids := make([]string, len(stays))
	for i, s := range stays {
		s.ID, s.StartedAt, s.LastAt = cards.keys.Visits.ID(s.number), time.UnixMilli(s.startedAt), time.UnixMilli(s.lastAt)
		visits[i], ids[i], at[s.number] = s.Visit, strconv.FormatInt(s.number, 10), &visits[i]
	}
	among := strings.Join(ids, ", ")
	// Numbers grow with time on one node, and nearly so across nodes.
	pages, err := cards.pages(ctx, `visits AS v JOIN views AS w ON w.site_id = v.site_id AND w.visit_id = v.id
		WHERE v.site_id = $1 AND v.id IN (`+among+`)
			AND w.id IN (SELECT id FROM (SELECT id, at FROM views WHERE site_id = v.site_id AND visit_id = v.id ORDER BY id DESC LIMIT $2) AS latest ORDER BY at DESC, id DESC LIMIT $3)`,
		siteID, cardSearch, cardRows)
	if err != nil {
		return nil, err
	}
	for of, pages := range pages {
		at[of.Visit].Pages = pages
	}
	type event struct {
		visit.UserEvent
		visit, view, at int64
	}
	events, err := db.List(ctx, read, func(e *event) []any {
		return []any{&e.visit, &e.view, &e.at, &e.Category, &e.Action, &e.Name, &e.Value}
	}, `SELECT e.visit_id, e.view_id, e.at, e.category, e.action, e.name, e.value FROM visits AS v
		JOIN user_events AS e ON e.site_id = v.site_id AND e.visit_id = v.id
		WHERE v.site_id = $1 AND v.id IN (`+among+`)
			AND e.id IN (SELECT id FROM (SELECT id, at FROM user_events WHERE site_id = v.site_id AND visit_id = v.id ORDER BY id DESC LIMIT $2) AS latest ORDER BY at DESC, id DESC LIMIT $3)
		ORDER BY e.at DESC, e.id DESC`, siteID, cardSearch, cardRows)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		at[e.visit].Events = append(at[e.visit].Events, TrackedEvent{UserEvent: e.UserEvent, View: cards.keys.Views.ID(e.view), At: time.UnixMilli(e.at)})
	}
	return visits, nil
}
