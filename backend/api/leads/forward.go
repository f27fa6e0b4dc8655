package leads

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// forwarded is the form as another service is to hear of it.
func (l *Leads) forwarded(r *http.Request, site gate.Site, f Form, s submission.Submission) forward.Item {
	client, _, _ := net.SplitHostPort(r.RemoteAddr)
	item := forward.Item{
		ID: f.ID, Service: site.Service, SiteKey: site.Key, Signed: site.Signed, Credentials: f.Said.Credentials, Marks: s.Marks, SiteError: s.SiteError,
		Key: f.Key, At: f.At,
		From: forward.Browser{
			Page: clip.Text(pageOfForm(r), view.MaxAddress), Client: client, Cookie: r.Header.Get("Cookie"),
			UserAgent: clip.Text(r.UserAgent(), view.MaxUserAgent), Language: clip.Text(r.Header.Get("Accept-Language"), view.MaxLanguage),
		},
	}
	if l.visits.IsBot(item.From.UserAgent) {
		item.Marks = append(item.Marks, lead.Bot)
	}
	if f.Rule.Kind == capture.KindVisitor {
		item.Information = contactsOf(s)
	} else {
		item.Fields = fieldsOf(s)
	}
	return item
}

// contactsOf are the fields of who somebody is, by their names in requests of the site's server.
func contactsOf(s submission.Submission) url.Values {
	said := url.Values{}
	for name, value := range map[string]string{"name": s.Name, "email": s.Email, "phone": s.Phone} {
		if value != "" {
			said.Set(name, value)
		}
	}
	return said
}

// fieldsOf are the fields of a lead by their names in requests of the site's server.
func fieldsOf(s submission.Submission) url.Values {
	said := contactsOf(s)
	for name, value := range s.UserFields {
		said.Set("user_fields["+name+"]", value)
	}
	for name, value := range map[string]string{"text": s.Message, "form_name": s.FormName} {
		if value != "" {
			said.Set(name, value)
		}
	}
	return said
}

// Forward is a refused form, of which s is what can be used, as another service is to hear of it.
func Forward(r refused.Refusal, s submission.Submission) (item forward.Item, err error) {
	if err = json.Unmarshal(r.Forward, &item); err != nil {
		return item, fmt.Errorf("reading how a form is forwarded: %w", err)
	}
	item.Fields = fieldsOf(s)
	return item, nil
}
