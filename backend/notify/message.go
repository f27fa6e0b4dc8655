package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// timeLayout is how times are written in texts.
const timeLayout = "2006-01-02 15:04 -07:00"

// errErased means that what a delivery is about is not there any more.
var errErased = errors.New("it has been erased")

// Message is the body of a webhook, as docs/webhooks.schema.json describes it.
type Message struct {
	Type      Event     `json:"type"`
	Timestamp time.Time `json:"timestamp"` // of the event, not of the attempt
	Data      any       `json:"data"`
}

// leadData is what is told of a lead.
type leadData struct {
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

// callData is what is told of a call: all that is known of it when it is sent.
type callData struct {
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

// incidentData is what is told of an incident.
type incidentData struct {
	Site       string        `json:"site"`
	Kind       incident.Kind `json:"kind"`
	Name       string        `json:"name"`
	Status     int           `json:"status"`
	Since      time.Time     `json:"since"`
	ConsoleURL string        `json:"console_url"`
}

// testData is what a test says.
type testData struct {
	Site string `json:"site"`
	Text string `json:"text"`
}

// message is what the delivery tells now, and the values with which templates are filled in the language.
func (d *Deliveries) message(ctx context.Context, r Delivery, language string) (m Message, v values, err error) {
	key, err := d.Sites.Key(ctx, r.SiteID)
	if err != nil {
		return m, nil, err
	}
	m = Message{Type: r.Event, Timestamp: r.At.UTC()}
	w := mailTexts[language]
	v = values{"site": key, "event": w["event."+string(r.Event)], "time": r.At.Local().Format(timeLayout)}
	switch r.Event {
	case LeadAdded, SaleAdded:
		l, err := d.Leads.Get(ctx, r.SiteID, r.Subject)
		if errors.Is(err, lead.ErrUnknown) {
			err = errErased
		}
		if err != nil {
			return m, nil, err
		}
		data := d.leadOf(key, l)
		m.Data = data
		v.lead(data, w)
		if l.OfCall() {
			calls, err := d.Calls.OfLeads(ctx, r.SiteID, l.ID)
			if err != nil {
				return m, nil, err
			}
			v.leadOfCall(l, calls, w)
		}
	case CallStarted, CallAnswered, CallEnded, CallRecorded:
		c, err := d.Calls.Get(ctx, r.SiteID, r.Subject)
		if errors.Is(err, call.ErrUnknown) {
			err = errErased
		}
		if err != nil {
			return m, nil, err
		}
		data := d.callOf(key, c)
		m.Data = data
		v.call(data, w)
	case Begun, Over:
		if len(r.data) == 0 {
			return m, nil, errErased
		}
		data := incidentData{Site: key}
		if err := json.Unmarshal(r.data, &data); err != nil {
			return m, nil, fmt.Errorf("reading what was noted of an incident: %w", err)
		}
		data.ConsoleURL = d.link(fmt.Sprintf("sites/%d", r.SiteID))
		m.Data = data
		v.incident(r.Event, data, w)
	case Test:
		m.Data = testData{key, w["test"]}
		v["message"] = w["test"]
	}
	return m, v, nil
}

// link is an address of the console, if that is known.
func (d *Deliveries) link(path string) string {
	if at := d.settings().Console; at != "" {
		return strings.TrimSuffix(at, "/") + "/" + path
	}
	return ""
}

func (d *Deliveries) leadOf(key string, l lead.Lead) leadData {
	fields := l.UserFields
	if fields == nil {
		fields = map[string]string{}
	}
	return leadData{
		Site: key, LeadID: l.ID, Origin: l.Origin, Name: l.Name, Email: l.Email, Phone: l.Phone, PhoneDigits: l.PhoneDigits, PhoneExtension: l.PhoneExtension,
		Message: l.Message, FormName: l.FormName, UserFields: fields, IsSale: l.IsSale, SaleCost: l.SaleCost, GroupID: l.GroupID, Marks: append([]string{}, l.Marks...), SiteError: l.SiteError, PageURL: l.URL,
		VisitorID: l.Visitor, VisitID: l.Visit, ViewID: l.View, Source: sourceOf(l.Source), ConsoleURL: d.link(fmt.Sprintf("leads/%d/%d", l.SiteID, l.ID)),
	}
}

func (d *Deliveries) callOf(key string, c call.Call) callData {
	data := callData{
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
		data.ConsoleURL = d.link(fmt.Sprintf("visitors/%d/%d", c.SiteID, c.Visitor))
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

// values are what placeholders stand for, by their names.
type values map[string]string

func (v values) lead(l leadData, w wording) {
	v["name"], v["phone"], v["email"], v["message"], v["form"], v["page"], v["link"] = l.Name, l.Phone, l.Email, l.Message, l.FormName, l.PageURL, l.ConsoleURL
	if l.SiteError != 0 {
		v["site_error"] = strconv.Itoa(l.SiteError)
	}
	if l.IsSale {
		v["sale"] = cmp.Or(l.SaleCost, w["unknown.sale"])
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(l.UserFields)) {
		lines = append(lines, name+": "+l.UserFields[name])
	}
	v["fields"] = strings.Join(lines, "\n")
	v.source(l.Source, w)
}

// leadOfCall are the values of a lead that has come by calls, the latest of which is the first.
func (v values) leadOfCall(l lead.Lead, calls []call.Call, w wording) {
	if !l.IsSale {
		v["event"] = w["event.lead."+l.Origin]
	}
	v["caller"] = cmp.Or(plus(l.PhoneDigits), w["withheld"])
	if len(calls) > 0 {
		v["called"] = plus(calls[0].Called)
	}
}

func (v values) incident(event Event, i incidentData, w wording) {
	v["event"] = w["event."+string(event)+"."+string(i.Kind)]
	v["about"], v["link"] = i.Name, i.ConsoleURL
	if i.Status != 0 && event == Begun {
		v["status"] = strconv.Itoa(i.Status)
	}
}

func (v values) call(c callData, w wording) {
	v["called"], v["link"], v["status"], v["recording"] = plus(c.Called), c.ConsoleURL, w["status."+c.Status], c.RecordingURL
	if v["caller"] = plus(c.Caller); c.Caller == "" {
		v["caller"] = w["withheld"]
	}
	if c.TalkSeconds != nil && *c.TalkSeconds > 0 {
		v["talk"] = (time.Duration(*c.TalkSeconds) * time.Second).String()
	}
	v.source(c.Source, w)
}

func (v values) source(s *source.Source, w wording) {
	if s != nil {
		v["source"], v["campaign"] = cmp.Or(s.Source, s.Referrer, w["source."+s.Kind]), s.Campaign
	}
}

func plus(digits string) string {
	if digits == "" {
		return ""
	}
	return "+" + digits
}
