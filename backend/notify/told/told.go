// Package told says what webhooks are told of leads, calls and incidents, as docs/webhooks.schema.json describes it.
package told

import (
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Lead is what is told of a lead.
type Lead struct {
	Site           string            `json:"site"`
	LeadID         int64             `json:"lead_id"`
	Origin         string            `json:"origin"`
	Name           string            `json:"name"`
	Email          string            `json:"email"`
	Phone          string            `json:"phone"`
	PhoneDigits    string            `json:"phone_digits"`
	PhoneExtension string            `json:"phone_extension"`
	Message        string            `json:"message"`
	FormName       string            `json:"form_name"`
	UserFields     map[string]string `json:"user_fields"`
	IsSale         bool              `json:"is_sale"`
	SaleCost       string            `json:"sale_cost"`
	GroupID        int64             `json:"group_id"`
	Marks          []string          `json:"marks"`
	SiteError      int               `json:"site_error"`
	PageURL        string            `json:"page_url"`
	VisitorID      visit.ID          `json:"visitor_id"`
	VisitID        visit.ID          `json:"session_id"`
	ViewID         visit.ID          `json:"hit_id"`
	Source         *source.Source    `json:"source"`
	ConsoleURL     string            `json:"console_url"`
}

// Call is what is told of a call: all that is known of it when it is sent.
type Call struct {
	Site           string         `json:"site"`
	CallID         int64          `json:"call_id"`
	Platform       string         `json:"platform"`
	PlatformCallID string         `json:"platform_call_id"`
	Called         string         `json:"called"`
	Caller         string         `json:"caller"`
	StartedAt      *time.Time     `json:"started_at"`
	AnsweredAt     *time.Time     `json:"answered_at"`
	EndedAt        *time.Time     `json:"ended_at"`
	Status         string         `json:"status"`
	TalkSeconds    *int64         `json:"talk_seconds"`
	WaitSeconds    *int64         `json:"wait_seconds"`
	RecordingURL   string         `json:"recording_url"`
	Price          string         `json:"price"`
	Currency       string         `json:"currency"`
	Notes          []string       `json:"notes"`
	First          bool           `json:"first"`
	Reason         string         `json:"reason"`
	Confidence     string         `json:"confidence"`
	Replaces       string         `json:"replaces"`
	Conditions     string         `json:"conditions"`
	VisitorID      visit.ID       `json:"visitor_id"`
	VisitID        visit.ID       `json:"session_id"`
	Source         *source.Source `json:"source"`
	ConsoleURL     string         `json:"console_url"`
}

// Incident is what is told of an incident.
type Incident struct {
	Site       string        `json:"site"`
	Kind       incident.Kind `json:"kind"`
	Name       string        `json:"name"`
	Status     int           `json:"status"`
	Since      time.Time     `json:"since"`
	ConsoleURL string        `json:"console_url"`
}

// Test is what a test says.
type Test struct {
	Site string `json:"site"`
	Text string `json:"text"`
}

// LeadOf is what is told of the lead of the site with the key. link is its page in the console, or empty.
func LeadOf(key string, l lead.Lead, link string) Lead {
	fields := l.UserFields
	if fields == nil {
		fields = map[string]string{}
	}
	return Lead{
		Site: key, LeadID: l.ID, Origin: l.Origin, Name: l.Name, Email: l.Email, Phone: l.Phone, PhoneDigits: l.PhoneDigits, PhoneExtension: l.PhoneExtension,
		Message: l.Message, FormName: l.FormName, UserFields: fields, IsSale: l.IsSale, SaleCost: l.SaleCost, GroupID: l.GroupID, Marks: append([]string{}, l.Marks...), SiteError: l.SiteError, PageURL: l.URL,
		VisitorID: l.Visitor, VisitID: l.Visit, ViewID: l.View, Source: sourceOf(l.Source), ConsoleURL: link,
	}
}

// CallOf is what is told of the call. link is the page of its visitor in the console, or empty.
func CallOf(key string, c call.Call, link string) Call {
	data := Call{
		Site: key, CallID: c.ID, Platform: c.Platform, PlatformCallID: c.PlatformID, Called: c.Called, Caller: c.Caller,
		StartedAt: moment(c.StartedAt), AnsweredAt: moment(c.AnsweredAt), EndedAt: moment(c.EndedAt), Status: string(c.Status),
		RecordingURL: c.Recording, Price: c.Price, Currency: c.Currency, Notes: append([]string{}, strings.Fields(c.Notes)...), First: c.First,
		Reason: string(c.Reason), Confidence: string(c.Confidence), Replaces: c.Replaces, Conditions: c.Conditions,
		VisitorID: c.Visitor, VisitID: c.Visit, Source: sourceOf(c.Source),
	}
	if talked, known := c.Talked(); known {
		data.TalkSeconds = new(int64(talked.Seconds()))
	}
	if waited, known := c.Waited(); known {
		data.WaitSeconds = new(int64(waited.Seconds()))
	}
	if c.Visitor != 0 {
		data.ConsoleURL = link
	}
	return data
}

func sourceOf(s source.Source) *source.Source {
	if s.Kind == "" {
		return nil
	}
	return &s
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}
