package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Form is a form that has passed on its way to the site.
type Form struct {
	// ID is another for each form: stored again, it is the same. It consists of 16 to 64 characters of base64url.
	ID string
	// Key is the same for forms in which the same client says the same. Within FormWindow they are one form.
	Key string
	// At is when the site answered it, and Sent when it began to come.
	At, Sent time.Time
	Rule     *capture.Rule
	Said     capture.Recognised
	// Status is what the site has answered; 0 if the client has gone before.
	Status int
	// Broken tells that the client has gone before it had sent the whole form.
	Broken bool
}

// FormWindow is for how long forms of the same key are one form.
const FormWindow = lead.RepeatWindow

// Codes of forms that became no leads; see [lead.Refused].
const (
	formFailed  = "form_failed"  // the site has answered with an error
	formBroken  = "form_broken"  // the client has gone before it had sent the whole form
	formTrapped = "form_trapped" // a field is filled that people do not see
	formNobody  = "form_nobody"  // nothing says how to reach its sender
)

// Kept says what became of a form.
type Kept string

// What becomes of forms.
const (
	KeptStored  Kept = "stored"  // as a lead, or as what is known of the visitor; or to be sent to the service elsewhere
	KeptRefused Kept = "refused" // among the refused submissions
	KeptNot     Kept = "full"    // no more of these are kept today
	KeptEmpty   Kept = "empty"   // nothing is filled in
)

// Floods tells whether the client of the request sends more forms than people do; those are not to be
// kept. Each call counts.
func (a *API) Floods(r *http.Request) bool {
	client, limited := clientOf(r)
	return limited && a.forms.take(client, time.Now()) > 0
}

// KeepForm stores what the form says: as a lead, or as what is known of the visitor. A form that does not count
// by its rule is kept among the refused submissions, and so is one by which nobody is found: it has no contact and no
// message, and its visitor is not known. A lead that a program seems to have sent is marked; of a
// visitor, what a program has filled is refused. What is stored is durable when KeepForm returns nil. The request is as
// Serve takes it, with the visitor's cookies; the visitor has agreed.
//
// The visitor is whom the form's own credentials name, if these are right, or else the cookie; or else a new one.
func (a *API) KeepForm(ctx context.Context, r *http.Request, site Site, f Form) (Kept, error) {
	if f.Said.Empty {
		return KeptEmpty, nil
	}
	c := &call{r: r, site: site}
	info := visit.Info{Name: f.Said.Name, Email: f.Said.Email, Phone: f.Said.Phone, Region: site.Region(ctx)}
	from, known, marks, err := a.fromForm(ctx, c, f)
	if err != nil {
		return "", err
	}
	s := submission.Submission{
		Origin: lead.Form, At: f.At, Name: f.Said.Name, Email: f.Said.Email, Phone: f.Said.Phone, Message: f.Said.Message,
		FormName: f.Said.FormName, UserFields: f.Said.UserFields, Marks: marks, FormKey: f.Key,
	}
	if capture.IsError(f.Status) {
		s.SiteError = f.Status
	}
	why := f.refused(known)
	switch {
	case why != nil:
		return a.keepRefusedForm(ctx, c, f, from, s, why)
	case site.Forward != nil:
		err = site.Forward(ctx, a.forwarded(r, site, f, s))
	case f.Rule.Kind == capture.KindVisitor:
		err = a.Visits.AddInfo(ctx, site.ID, from.Ref, info)
	default:
		err = a.addLead(ctx, c, from, &s)
	}
	return KeptStored, err
}

// finds tells whether somebody is found by what the form says: there is a contact, or a question. Of a visitor, the name
// is enough.
func (f *Form) finds() bool {
	if f.Rule.Kind == capture.KindVisitor {
		return f.Said.Name != "" || f.Said.Email != "" || f.Said.Phone != ""
	}
	return f.Said.Says()
}

// refused is why the form is no lead, or nil. known tells whether its visitor was known before.
func (f *Form) refused(known bool) *failure {
	switch {
	case f.Broken && f.Rule.On != capture.OnAlways:
		return &failure{code: formBroken, reason: "the client has gone before it had sent the whole form"}
	case !f.Rule.Counts(f.Status, known || f.Said.Reachable()):
		return &failure{code: formFailed, reason: "the site answered " + strconv.Itoa(f.Status)}
	case f.Said.Trapped && f.Rule.Kind == capture.KindVisitor: // which bears no marks
		return &failure{code: formTrapped, reason: "a field is filled that people do not see"}
	case !f.finds() && (!known || f.Rule.Kind == capture.KindVisitor):
		return &failure{code: formNobody, reason: "nothing says how to reach its sender"}
	}
	return nil
}

// keepRefusedForm keeps a form that is no lead among the refused submissions.
func (a *API) keepRefusedForm(ctx context.Context, c *call, f Form, from page, s submission.Submission, why *failure) (Kept, error) {
	sent, err := json.Marshal(struct {
		Name       string            `json:"name,omitempty"`
		Email      string            `json:"email,omitempty"`
		Phone      string            `json:"phone,omitempty"`
		Message    string            `json:"message,omitempty"`
		FormName   string            `json:"form_name,omitempty"`
		UserFields map[string]string `json:"user_fields,omitempty"`
	}{s.Name, s.Email, s.Phone, s.Message, s.FormName, s.UserFields})
	if err != nil {
		return "", err
	}
	c.submitted = &lead.Refused{Origin: lead.Form, At: s.At, Sent: sent, Ref: from.Ref, URL: from.uri, SiteError: s.SiteError}
	if c.site.Forward != nil {
		item := a.forwarded(c.r, c.site, f, s)
		item.Fields, item.Information = nil, nil // they are what was sent
		if c.submitted.Forward, err = json.Marshal(item); err != nil {
			return "", err
		}
	}
	kept, err := a.Leads.AddRefused(ctx, a.refusedOf(ctx, c, why))
	if err == nil && !kept {
		return KeptNot, nil
	}
	return KeptRefused, err
}

// fromForm is the page view that the form was sent from, whether its visitor was known before, and what speaks against
// it. Where the visit is elsewhere, it is the page alone.
func (a *API) fromForm(ctx context.Context, c *call, f Form) (from page, known bool, marks []string, err error) {
	if f.Said.Trapped {
		marks = append(marks, lead.Trap)
	}
	if c.site.Forward != nil {
		known := len(f.Said.Credentials) > 0
		for range VisitorCookie.Values(c.r.Header) {
			known = true
		}
		return page{uri: pageOfForm(c.r)}, known, marks, nil
	}
	from, known, err = a.viewOfForm(ctx, c, f)
	if err != nil || !known {
		return from, false, marks, err
	}
	viewed, found, err := a.Visits.Viewed(ctx, c.site.ID, from.Ref)
	if after := f.Sent.Sub(viewed.At); found && 0 <= after && after < lead.QuickTime {
		marks = append(marks, lead.Quick)
	}
	return from, true, marks, err
}

// viewOfForm is the view, and whether its visitor was known before. A stranger has a view only if the form says who that is.
func (a *API) viewOfForm(ctx context.Context, c *call, f Form) (from page, known bool, err error) {
	if len(f.Said.Credentials) > 0 {
		fields := make(url.Values, len(f.Said.Credentials))
		for name, value := range f.Said.Credentials {
			fields.Set(name, value)
		}
		from, err := a.credentialsOf(ctx, c, fields)
		if _, forged := errors.AsType[*failure](err); !forged {
			return from, true, err
		}
	}
	address := pageOfForm(c.r)
	visitor, _ := a.returning(c)
	if visitor != 0 {
		ref, at, known, err := a.Visits.LastView(ctx, c.site.ID, visitor, address)
		if err != nil || known {
			return page{Ref: ref, uri: credentialAddress(at)}, known, err
		}
	}
	if visitor == 0 && !f.finds() {
		return page{uri: credentialAddress(address)}, false, nil
	}
	hit, err := a.Visits.Hit(ctx, c.site.ID, visitor, visit.View{
		Nonce: f.ID, URL: visit.Clip(address, maxAddress), Kind: "load",
		UserAgent: header(c.r, "User-Agent", maxUserAgent), Language: header(c.r, "Accept-Language", maxLanguage),
	})
	return page{Ref: hit.Ref, uri: credentialAddress(address)}, visitor != 0, err
}

// pageOfForm is the address of the page that the form was on, as far as the request tells it.
func pageOfForm(r *http.Request) string {
	if u, err := url.Parse(r.Referer()); err == nil && u.Host == r.Host {
		return r.Referer()
	}
	scheme := "http"
	if r.URL.Scheme == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host + r.URL.EscapedPath()
}

// forwarded is the form as another service is to hear of it.
func (a *API) forwarded(r *http.Request, site Site, f Form, s submission.Submission) forward.Item {
	client, _, _ := net.SplitHostPort(r.RemoteAddr)
	item := forward.Item{
		ID: f.ID, Service: site.Service, SiteKey: site.Key, Signed: site.Signed, Credentials: f.Said.Credentials, Marks: s.Marks, SiteError: s.SiteError,
		Key: f.Key, At: f.At,
		From: forward.Browser{
			Page: visit.Clip(pageOfForm(r), maxAddress), Client: client, Cookie: r.Header.Get("Cookie"),
			UserAgent: header(r, "User-Agent", maxUserAgent), Language: header(r, "Accept-Language", maxLanguage),
		},
	}
	if a.Visits.IsBot(item.From.UserAgent) {
		item.Marks = append(item.Marks, lead.Bot)
	}
	if f.Rule.Kind == capture.KindVisitor {
		item.Information = contactsOf(s)
	} else {
		item.Fields = fieldsOf(s)
	}
	return item
}

// contactsOf are the fields of who somebody is, by their names in calls of the site's server.
func contactsOf(s submission.Submission) url.Values {
	said := url.Values{}
	for name, value := range map[string]string{"name": s.Name, "email": s.Email, "phone": s.Phone} {
		if value != "" {
			said.Set(name, value)
		}
	}
	return said
}

// fieldsOf are the fields of a lead by their names in calls of the site's server.
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

// Elsewhere is a refused form, of which s is what can be used, as another service is to hear of it.
func Elsewhere(r lead.Refused, s submission.Submission) (item forward.Item, err error) {
	if err = json.Unmarshal(r.Forward, &item); err != nil {
		return item, fmt.Errorf("reading how a form is forwarded: %w", err)
	}
	item.Fields = fieldsOf(s)
	return item, nil
}
