package visit

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"
)

// Card is what is known of a visitor. Lists are newest first.
type Card struct {
	Visitor         ID
	FirstAt, LastAt time.Time
	Name            string
	Emails, Phones  []Contact
	Properties      []Property
	// Sessions are the last 20, each with its last 100 page views and events.
	Sessions []Session
}

// Contact is an e-mail or a phone.
type Contact struct {
	// Value is the normal form: an address, or digits; Written is as the
	// visitor wrote it.
	Value, Written string
	At             time.Time
}

// Property is a name that the site's page gave the visitor; the Value of a flag
// is nil.
type Property struct {
	Name  string
	Value *string
	At    time.Time
}

// Session is one stay on the site.
type Session struct {
	ID                  ID
	StartedAt, LastAt   time.Time
	Source              Source
	Hits                int
	Bot                 bool
	UserAgent, Language string
	Pages               []Page
	Events              []TrackedEvent
}

// TrackedEvent is an event as it was stored.
type TrackedEvent struct {
	Event
	Hit ID
	At  time.Time
}

const (
	cardSessions = 20
	cardRows     = 100
	cardSearch   = 1000 // rows of a session that are looked through for the latest
)

// Card returns what is known of the visitor; ErrUnknown when nothing is.
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
	var visitors []struct {
		FirstAt int64
		Name    string
	}
	err := read.NewRaw(`SELECT first_at, name FROM visitors WHERE site_id = ? AND id = ?`, siteID, visitor).Scan(ctx, &visitors)
	if err != nil {
		return c, err
	}
	if len(visitors) == 0 {
		return c, ErrUnknown
	}
	c.FirstAt, c.Name = time.UnixMilli(visitors[0].FirstAt), visitors[0].Name
	c.LastAt = c.FirstAt

	var contacts []struct {
		Kind, Value, Written string
		At                   int64
	}
	err = read.NewRaw(`SELECT kind, value, written, at FROM contacts WHERE site_id = ? AND visitor_id = ? ORDER BY at DESC, value`, siteID, visitor).Scan(ctx, &contacts)
	if err != nil {
		return c, err
	}
	for _, found := range contacts {
		contact := Contact{Value: found.Value, Written: found.Written, At: time.UnixMilli(found.At)}
		if found.Kind == "email" {
			c.Emails = append(c.Emails, contact)
		} else {
			c.Phones = append(c.Phones, contact)
		}
	}

	var properties []struct {
		Name  string
		Value *string
		At    int64
	}
	err = read.NewRaw(`SELECT name, value, at FROM properties WHERE site_id = ? AND visitor_id = ? ORDER BY at DESC, name`, siteID, visitor).Scan(ctx, &properties)
	if err != nil {
		return c, err
	}
	for _, p := range properties {
		c.Properties = append(c.Properties, Property{Name: p.Name, Value: p.Value, At: time.UnixMilli(p.At)})
	}
	if c.Sessions, err = v.cardSessions(ctx, siteID, visitor); err != nil {
		return c, err
	}
	for _, s := range c.Sessions {
		if s.LastAt.After(c.LastAt) {
			c.LastAt = s.LastAt
		}
	}
	return c, nil
}

func (v *Visits) cardSessions(ctx context.Context, siteID, visitor int64) ([]Session, error) {
	read := v.db.Read()
	var rows []sessionRow
	err := read.NewRaw(`SELECT `+sessionColumns+` FROM sessions AS s WHERE s.site_id = ? AND s.visitor_id = ? ORDER BY s.started_at DESC, s.id DESC LIMIT ?`,
		siteID, visitor, cardSessions).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	sessions := make([]Session, len(rows))
	at := make(map[int64]*Session, len(rows))
	ids := make([]int64, len(rows))
	for i, s := range rows {
		sessions[i] = Session{
			ID: v.sessions.id(s.ID), StartedAt: time.UnixMilli(s.StartedAt), LastAt: time.UnixMilli(s.LastAt), Source: storedSource(s.Source),
			Hits: s.Hits, Bot: s.Bot, UserAgent: s.UserAgent, Language: s.Language,
		}
		ids[i], at[s.ID] = s.ID, &sessions[i]
	}
	var hits []hitRow
	// Numbers grow with time on one node, and nearly so between nodes.
	err = read.NewRaw(`SELECT h.site_id, h.id, h.session_id, h.at, h.kind, h.url, h.title FROM sessions AS s
		JOIN hits AS h ON h.site_id = s.site_id AND h.session_id = s.id
		WHERE s.site_id = ?0 AND s.id IN (?1)
			AND h.id IN (SELECT id FROM (SELECT id, at FROM hits WHERE site_id = s.site_id AND session_id = s.id ORDER BY id DESC LIMIT ?2) AS latest ORDER BY at DESC, id DESC LIMIT ?3)
		ORDER BY h.at DESC, h.id DESC`, siteID, bun.List(ids), cardSearch, cardRows).Scan(ctx, &hits)
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		at[h.SessionID].Pages = append(at[h.SessionID].Pages, v.page(h))
	}
	var events []struct {
		SessionID, HitID, At          int64
		Category, Action, Name, Value string
	}
	err = read.NewRaw(`SELECT e.session_id, e.hit_id, e.at, e.category, e.action, e.name, e.value FROM sessions AS s
		JOIN events AS e ON e.site_id = s.site_id AND e.session_id = s.id
		WHERE s.site_id = ?0 AND s.id IN (?1)
			AND e.id IN (SELECT id FROM (SELECT id, at FROM events WHERE site_id = s.site_id AND session_id = s.id ORDER BY id DESC LIMIT ?2) AS latest ORDER BY at DESC, id DESC LIMIT ?3)
		ORDER BY e.at DESC, e.id DESC`, siteID, bun.List(ids), cardSearch, cardRows).Scan(ctx, &events)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		at[e.SessionID].Events = append(at[e.SessionID].Events, TrackedEvent{
			Event: Event{Category: e.Category, Action: e.Action, Name: e.Name, Value: e.Value}, Hit: v.hits.id(e.HitID), At: time.UnixMilli(e.At),
		})
	}
	return sessions, nil
}
