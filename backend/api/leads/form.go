package leads

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/repeat"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
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
const FormWindow = repeat.Window

// Codes of forms that became no leads; see [refused.Refusal].
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
// kept. Each time counts.
func (l *Leads) Floods(r *http.Request) bool {
	return l.forms.Wait(r) > 0
}

// KeepForm stores what the form says: as a lead, or as what is known of the visitor. A form that does not count
// by its rule is kept among the refused submissions, and so is one by which nobody is found: it has no contact and no
// message, and its visitor is not known. A lead that a program seems to have sent is marked; of a
// visitor, what a program has filled is refused. What is stored is durable when KeepForm returns nil. The request is as
// [gate.Request] says, with the visitor's cookies; the visitor has agreed.
//
// The visitor is whom the form's own credentials name, if these are right, or else the cookie; or else a new one.
func (l *Leads) KeepForm(ctx context.Context, of *http.Request, site gate.Site, f Form) (Kept, error) {
	if f.Said.Empty {
		return KeptEmpty, nil
	}
	r := &gate.Request{Request: of, Site: site}
	info := visit.Info{Name: f.Said.Name, Email: f.Said.Email, Phone: f.Said.Phone, Region: site.Region(ctx)}
	from, known, marks, err := l.fromForm(ctx, r, f)
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
	if why == nil && site.Forward == nil && f.Rule.Kind != capture.KindVisitor {
		why, _ = errors.AsType[*gate.Failure](site.Within(ctx, limit.Leads, limit.Disk))
	}
	switch {
	case why != nil:
		return l.keepRefusedForm(ctx, r, f, from, s, why)
	case site.Forward != nil:
		err = site.Forward(ctx, l.forwarded(of, site, f, s))
	case f.Rule.Kind == capture.KindVisitor:
		err = l.visits.AddInfo(ctx, site.ID, from.Ref, info)
	default:
		err = l.add(ctx, r, from, &s)
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
func (f *Form) refused(known bool) *gate.Failure {
	switch {
	case f.Broken && f.Rule.On != capture.OnAlways:
		return &gate.Failure{Code: formBroken, Reason: "the client has gone before it had sent the whole form"}
	case !f.Rule.Counts(f.Status, known || f.Said.Reachable()):
		return &gate.Failure{Code: formFailed, Reason: "the site answered " + strconv.Itoa(f.Status)}
	case f.Said.Trapped && f.Rule.Kind == capture.KindVisitor: // which bears no marks
		return &gate.Failure{Code: formTrapped, Reason: "a field is filled that people do not see"}
	case !f.finds() && (!known || f.Rule.Kind == capture.KindVisitor):
		return &gate.Failure{Code: formNobody, Reason: "nothing says how to reach its sender"}
	}
	return nil
}

// keepRefusedForm keeps a form that is no lead among the refused submissions.
func (l *Leads) keepRefusedForm(ctx context.Context, r *gate.Request, f Form, from view.View, s submission.Submission, why *gate.Failure) (Kept, error) {
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
	submitted := refused.Refusal{Origin: lead.Form, At: s.At, Sent: sent, Ref: from.Ref, URL: from.URI, SiteError: s.SiteError}
	if r.Site.Forward != nil {
		item := l.forwarded(r.Request, r.Site, f, s)
		item.Fields, item.Information = nil, nil // they are what was sent
		if submitted.Forward, err = json.Marshal(item); err != nil {
			return "", err
		}
	}
	kept, err := l.refusals.Add(ctx, l.refused(ctx, r, submitted, why))
	if err == nil && !kept {
		return KeptNot, nil
	}
	return KeptRefused, err
}

// fromForm is the page view that the form was sent from, whether its visitor was known before, and what speaks against
// it. Where the visit is elsewhere, it is the page alone.
func (l *Leads) fromForm(ctx context.Context, r *gate.Request, f Form) (from view.View, known bool, marks []string, err error) {
	if f.Said.Trapped {
		marks = append(marks, lead.Trap)
	}
	if r.Site.Forward != nil {
		known := len(f.Said.Credentials) > 0
		for range view.VisitorCookie.Values(r.Header, false) {
			known = true
		}
		return view.View{URI: pageOfForm(r.Request)}, known, marks, nil
	}
	from, known, err = l.viewOfForm(ctx, r, f)
	if err != nil || !known {
		return from, false, marks, err
	}
	viewed, found, err := l.visits.Viewed(ctx, r.Site.ID, from.Ref)
	if after := f.Sent.Sub(viewed.At); found && 0 <= after && after < lead.QuickTime {
		marks = append(marks, lead.Quick)
	}
	return from, true, marks, err
}

// viewOfForm is the view, and whether its visitor was known before. A stranger has a view only if the form says who that is.
func (l *Leads) viewOfForm(ctx context.Context, r *gate.Request, f Form) (from view.View, known bool, err error) {
	if len(f.Said.Credentials) > 0 {
		fields := make(url.Values, len(f.Said.Credentials))
		for name, value := range f.Said.Credentials {
			fields.Set(name, value)
		}
		from, err := l.credentialsOf(ctx, r, fields)
		if _, forged := errors.AsType[*gate.Failure](err); !forged {
			return from, true, err
		}
	}
	address := pageOfForm(r.Request)
	visitor, _ := l.views.Returning(r)
	if visitor != 0 {
		ref, at, known, err := l.visits.LastView(ctx, r.Site.ID, visitor, address)
		if err != nil || known {
			return view.View{Ref: ref, URI: view.CredentialAddress(at)}, known, err
		}
	}
	if visitor == 0 && !f.finds() {
		return view.View{URI: view.CredentialAddress(address)}, false, nil
	}
	stored, err := l.visits.Arrive(ctx, r.Site.ID, visitor, visit.Arrival{
		Nonce: f.ID, URL: clip.Text(address, view.MaxAddress), Kind: "load",
		UserAgent: r.Field("User-Agent", view.MaxUserAgent), Language: r.Field("Accept-Language", view.MaxLanguage), Client: r.Client(), Unscripted: true,
	})
	return view.View{Ref: stored.Ref, URI: view.CredentialAddress(address)}, visitor != 0, err
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
