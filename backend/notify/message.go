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
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/notify/told"
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
		data := told.LeadOf(key, l, d.link(fmt.Sprintf("leads/%d/%d", l.SiteID, l.ID)))
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
		data := told.CallOf(key, c, d.link(fmt.Sprintf("visitors/%d/%d", c.SiteID, c.Visitor)))
		m.Data = data
		v.call(data, w)
	case Begun, Over:
		if len(r.data) == 0 {
			return m, nil, errErased
		}
		data := told.Incident{Site: key}
		if err := json.Unmarshal(r.data, &data); err != nil {
			return m, nil, fmt.Errorf("reading what was noted of an incident: %w", err)
		}
		data.ConsoleURL = d.link(fmt.Sprintf("sites/%d", r.SiteID))
		m.Data = data
		v.incident(r.Event, data, w)
	case Test:
		m.Data = told.Test{Site: key, Text: w["test"]}
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

// values are what placeholders stand for, by their names.
type values map[string]string

func (v values) lead(l told.Lead, w wording) {
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

func (v values) incident(event Event, i told.Incident, w wording) {
	v["event"] = w["event."+string(event)+"."+string(i.Kind)]
	v["about"], v["link"] = i.Name, i.ConsoleURL
	if i.Status != 0 && event == Begun {
		v["status"] = strconv.Itoa(i.Status)
	}
}

func (v values) call(c told.Call, w wording) {
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
