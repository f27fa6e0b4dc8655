package leads

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/repeat"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// addOfflineMessage serves api/add_offline_message/ (browser interface, section
// 4.2): a lead from the site's server. A site may send the fields of its form
// as they are, with the credentials among them, and hours after the page view.
func (l *Leads) addOfflineMessage(ctx context.Context, r *gate.Request) (any, error) {
	content, charset, err := encoded(r)
	if err != nil {
		if f, ok := errors.AsType[*gate.Failure](err); ok && f.Status == http.StatusUnsupportedMediaType {
			if body, err := r.ReadBody(maxServerBody); err == nil {
				l.submitted(r, refused.Refusal{Origin: lead.Server, Sent: body})
			}
		}
		return nil, err
	}
	form, whole := readForm(content, charset)
	submitted := l.submitted(r, refused.Refusal{Origin: lead.Server, Sent: refused.FormSent(form)})
	from, err := l.credentialsOf(ctx, r, form)
	submitted.Ref, submitted.URL = from.Ref, from.URI
	if err != nil {
		return nil, err
	}
	s := submission.FromForm(form)
	if !whole {
		s.Notes = append(s.Notes, submission.Note{Field: "user_fields", Code: "malformed_form",
			Note: "the fields are not well-formed application/x-www-form-urlencoded; what could not be decoded stays as it was sent"})
	}
	s.Origin = lead.Server
	s.IdempotencyKey = strings.Trim(strings.TrimSpace(r.Header.Get("Idempotency-Key")), `"`)
	l.readEdge(r.Header, &s)
	if err := l.add(ctx, r, from, &s); err != nil {
		return nil, err
	}
	return addedAnswer{true, s.Notes}, nil
}

// readEdge adds what another Frontdesk says of a form that it has seen on its way to the site. Whoever sends it may
// say so: it is of the own lead alone.
func (l *Leads) readEdge(h http.Header, s *submission.Submission) {
	for mark := range strings.SplitSeq(h.Get(forward.MarksField), ",") {
		if mark = strings.TrimSpace(mark); mark == lead.Trap || mark == lead.Bot {
			s.Marks = append(s.Marks, mark)
		}
	}
	if status, err := strconv.Atoi(h.Get(forward.SiteErrorField)); err == nil && capture.IsError(status) && status < 1000 {
		s.SiteError = status
	}
	if at, err := time.Parse(time.RFC3339Nano, h.Get(forward.AtField)); err == nil && time.Since(at) < repeat.Memory {
		s.At, s.FormKey = at, h.Get(forward.FormField)
	}
}

// addedAnswer is the answer to a lead that was stored.
type addedAnswer struct {
	Success bool `json:"success"`
	// Notes say which fields could not be stored as they were sent.
	Notes []submission.Note `json:"notes,omitempty"`
}

// credentialsOf finds the page view that the form's credentials name. With an error it is the view that they prove, and
// are too old for, or none.
func (l *Leads) credentialsOf(ctx context.Context, r *gate.Request, form url.Values) (view.View, error) {
	siteKey := form.Get("site_key")
	if siteKey != r.Site.Key && (siteKey != "" || !r.Site.Signed) {
		return view.View{}, view.UnknownSite()
	}
	var ref visit.Ref
	var err error
	if ref.Visitor, err = identifier("visitor_id", form["visitor_id"]); err != nil {
		return view.View{}, err
	}
	if ref.View, err = identifier("hit_id", form["hit_id"]); err != nil {
		return view.View{}, err
	}
	if ref.Visit, err = identifier("session_id", form["session_id"]); err != nil {
		return view.View{}, err
	}
	of := view.View{Ref: ref, URI: form.Get("uri")}
	if r.Site.Signed && !l.keys.Verify(r.Site.ID, of.URI, ref, form.Get("key")) {
		return view.View{}, view.Forged()
	}
	viewed, err := l.views.Recent(ctx, r, ref)
	if viewed == (visit.Viewed{}) {
		return view.View{}, err
	}
	if !r.Site.Signed {
		of.URI = view.CredentialAddress(viewed.URL)
	}
	return of, err
}

// informationAnswer is the answer to vc/s/ with the system fields. It tells
// nothing that the caller has not proved to know: credentials stand in forms,
// mails and logs, and the visitor's cookie, say, would open far more than they do.
type informationAnswer struct {
	Success bool     `json:"success"`
	SiteKey string   `json:"site_key"`
	Visitor visit.ID `json:"visitor_id"`
	// Session is 0 in variant B, where the caller has not named it.
	Visit visit.ID `json:"session_id,omitempty"`
	View  visit.ID `json:"hit_id"`
	// CI is as it was sent.
	CI string `json:"ci"`
}

// addVisitorInformation serves vc/s/ (browser interface, section 4.3): contacts
// of the visitor from the site's server.
func (l *Leads) addVisitorInformation(ctx context.Context, r *gate.Request) (any, error) {
	sent, err := parseForm(r.URL.RawQuery, "")
	if err != nil {
		return nil, err
	}
	if r.Method == http.MethodPost {
		posted, err := form(r)
		if err != nil {
			return nil, err
		}
		maps.Copy(sent, posted)
	}
	siteKey := sent.Get("sk")
	if siteKey != r.Site.Key && (siteKey != "" || !r.Site.Signed) {
		return nil, view.UnknownSite()
	}
	visitor, known := l.keys.ParseVisitorString(r.Site.ID, sent.Get("ci"))
	if !known {
		if visitor, err = identifier("ci", sent["ci"]); err != nil {
			return nil, err
		}
	}
	viewID, err := identifier("hi", sent["hi"])
	if err != nil {
		return nil, err
	}
	info := visit.Info{Name: sent.Get("vn"), Email: sent.Get("ve"), Phone: sent.Get("vp"), Region: r.Site.Region(ctx)}
	if err := view.CheckInfo(info); err != nil {
		return nil, err
	}
	ref, found, err := l.visits.Find(ctx, r.Site.ID, visitor, viewID)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, view.ForeignIDs()
	}
	if r.Site.Signed && !l.keys.Verify(r.Site.ID, sent.Get("ur"), ref, sent.Get("k")) {
		return nil, view.Forged()
	}
	if _, err := l.views.Recent(ctx, r, ref); err != nil {
		return nil, err
	}
	if err := l.visits.AddInfo(ctx, r.Site.ID, ref, info); err != nil {
		return nil, err
	}
	if sent.Get("s") == "1" {
		return gate.Succeeded{Success: true}, nil
	}
	answer := informationAnswer{Success: true, SiteKey: r.Site.Key, Visitor: ref.Visitor, View: ref.View, CI: sent.Get("ci")}
	if r.Site.Signed {
		answer.Visit = ref.Visit // the key is signed over it
	}
	return answer, nil
}

// identifier reads an id that a field holds.
func identifier(name string, values []string) (visit.ID, error) {
	if len(values) == 0 || values[0] == "" {
		return 0, gate.Malformed("missing", "%s is missing", name)
	}
	id, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil || id <= 0 || id >= 1<<53 || len(values) > 1 {
		return 0, gate.Malformed("wrong_type", "%s must be the integer that the credentials hold", name)
	}
	return visit.ID(id), nil
}
