package visit

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Card is what is known of a visitor. Its lists are newest first.
type Card struct {
	Visitor         ID
	FirstAt, LastAt time.Time
	Here            bool // on the site now
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
	ID                  ID
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
	UserEvent
	View ID
	At   time.Time
}

const (
	cardVisits = 20
	cardRows   = 100
	cardSearch = 1000 // rows of a visit that are searched for the latest
)

// Card returns what is known of the visitor. The error is ErrUnknown if the visitor is not known.
func (v *Visits) Card(ctx context.Context, siteID int64, visitor ID) (Card, error) {
	c, err := v.card(ctx, siteID, v.visitors.number(visitor))
	if err != nil {
		return Card{}, fmt.Errorf("reading a visitor's card: %w", err)
	}
	c.Visitor = visitor
	return c, nil
}

func (v *Visits) card(ctx context.Context, siteID, visitor int64) (Card, error) {
	var c Card
	read := v.db.Read()
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
		return c, ErrUnknown
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
	if c.Visits, err = v.cardVisits(ctx, siteID, visitor); err != nil {
		return c, err
	}
	of, scenes := watched{visitor: place{siteID, visitor}}, make(map[watched]*Scene)
	if err := v.activity(ctx, []place{of.visitor}, scenes); err != nil {
		return c, err
	}
	c.Here = scenes[of].Here
	if s := scenes[of]; s.LastAt.After(c.LastAt) {
		c.LastAt = s.LastAt
	}
	return c, nil
}

func (v *Visits) cardVisits(ctx context.Context, siteID, visitor int64) ([]Visit, error) {
	read := v.db.Read()
	rows, err := db.List(ctx, read, (*visitRow).fields,
		`SELECT `+visitColumns+` FROM visits AS s WHERE s.site_id = $1 AND s.visitor_id = $2 ORDER BY s.started_at DESC, s.id DESC LIMIT $3`, siteID, visitor, cardVisits)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	visits := make([]Visit, len(rows))
	at := make(map[int64]*Visit, len(rows))
	ids := make([]string, len(rows))
	for i, s := range rows {
		visits[i] = Visit{
			ID: v.visits.id(s.id), StartedAt: time.UnixMilli(s.startedAt), LastAt: time.UnixMilli(s.lastAt), Source: s.source,
			Views: s.views, Bot: s.bot, UserAgent: s.userAgent, Language: s.language,
		}
		ids[i], at[s.id] = strconv.FormatInt(s.id, 10), &visits[i]
	}
	among := strings.Join(ids, ", ")
	// Numbers grow with time on one node, and nearly so across nodes.
	views, err := db.List(ctx, read, (*viewRow).fields, `SELECT `+viewColumns+` FROM visits AS s
		JOIN views AS h ON h.site_id = s.site_id AND h.visit_id = s.id
		WHERE s.site_id = $1 AND s.id IN (`+among+`)
			AND h.id IN (SELECT id FROM (SELECT id, at FROM views WHERE site_id = s.site_id AND visit_id = s.id ORDER BY id DESC LIMIT $2) AS latest ORDER BY at DESC, id DESC LIMIT $3)
		ORDER BY h.at DESC, h.id DESC`, siteID, cardSearch, cardRows)
	if err != nil {
		return nil, err
	}
	for _, h := range views {
		at[h.visit].Pages = append(at[h.visit].Pages, v.page(h))
	}
	type event struct {
		UserEvent
		visit, view, at int64
	}
	events, err := db.List(ctx, read, func(e *event) []any {
		return []any{&e.visit, &e.view, &e.at, &e.Category, &e.Action, &e.Name, &e.Value}
	}, `SELECT e.visit_id, e.view_id, e.at, e.category, e.action, e.name, e.value FROM visits AS s
		JOIN user_events AS e ON e.site_id = s.site_id AND e.visit_id = s.id
		WHERE s.site_id = $1 AND s.id IN (`+among+`)
			AND e.id IN (SELECT id FROM (SELECT id, at FROM user_events WHERE site_id = s.site_id AND visit_id = s.id ORDER BY id DESC LIMIT $2) AS latest ORDER BY at DESC, id DESC LIMIT $3)
		ORDER BY e.at DESC, e.id DESC`, siteID, cardSearch, cardRows)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		at[e.visit].Events = append(at[e.visit].Events, TrackedEvent{UserEvent: e.UserEvent, View: v.views.id(e.view), At: time.UnixMilli(e.at)})
	}
	return visits, nil
}
