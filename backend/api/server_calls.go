package api

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// addOfflineMessage serves api/add_offline_message/ (browser interface, section
// 4.2): a lead from the site's server. A site may send the fields of its form
// as they are, with the credentials among them, and hours after the page view.
func (a *API) addOfflineMessage(ctx context.Context, c *call) (any, error) {
	content, charset, err := c.encoded()
	if err != nil {
		if f, ok := errors.AsType[*failure](err); ok && f.status == http.StatusUnsupportedMediaType {
			if body, err := c.body(maxServerBody); err == nil {
				c.submitted = &lead.Refused{Origin: lead.Server, Sent: body}
			}
		}
		return nil, err
	}
	form, whole := readForm(content, charset)
	c.submitted = &lead.Refused{Origin: lead.Server, Sent: lead.FormSent(form)}
	from, err := a.credentialsOf(ctx, c, form)
	c.submitted.Ref, c.submitted.URL = from.Ref, from.uri
	if err != nil {
		return nil, err
	}
	s := submission.FromForm(form)
	if !whole {
		s.Notes = append(s.Notes, submission.Note{Field: "user_fields", Code: "malformed_form",
			Note: "the fields are not well-formed application/x-www-form-urlencoded; what could not be decoded stays as it was sent"})
	}
	s.Origin = lead.Server
	s.IdempotencyKey = strings.Trim(strings.TrimSpace(c.r.Header.Get("Idempotency-Key")), `"`)
	a.readEdge(c.r.Header, &s)
	if err := a.addLead(ctx, c, from, &s); err != nil {
		return nil, err
	}
	return addedAnswer{true, s.Notes}, nil
}

// readEdge adds what another Frontdesk says of a form that it has seen on its way to the site. Whoever makes the call may
// say so: it is of the own lead alone.
func (a *API) readEdge(h http.Header, s *submission.Submission) {
	for mark := range strings.SplitSeq(h.Get(forward.MarksField), ",") {
		if mark = strings.TrimSpace(mark); mark == lead.Trap || mark == lead.Bot {
			s.Marks = append(s.Marks, mark)
		}
	}
	if status, err := strconv.Atoi(h.Get(forward.SiteErrorField)); err == nil && capture.IsError(status) && status < 1000 {
		s.SiteError = status
	}
	if at, err := time.Parse(time.RFC3339Nano, h.Get(forward.AtField)); err == nil && time.Since(at) < lead.RequestMemory {
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
func (a *API) credentialsOf(ctx context.Context, c *call, form url.Values) (page, error) {
	siteKey := form.Get("site_key")
	if siteKey != c.site.Key && (siteKey != "" || !c.site.Signed) {
		return page{}, unknownSite()
	}
	var ref visit.Ref
	var err error
	if ref.Visitor, err = identifier("visitor_id", form["visitor_id"]); err != nil {
		return page{}, err
	}
	if ref.Hit, err = identifier("hit_id", form["hit_id"]); err != nil {
		return page{}, err
	}
	if ref.Session, err = identifier("session_id", form["session_id"]); err != nil {
		return page{}, err
	}
	of := page{Ref: ref, uri: form.Get("uri")}
	if c.site.Signed && !a.Visits.Verify(c.site.ID, of.uri, ref, form.Get("key")) {
		return page{}, forged()
	}
	viewed, err := a.recent(ctx, c, ref)
	if viewed == (visit.Viewed{}) {
		return page{}, err
	}
	if !c.site.Signed {
		of.uri = credentialAddress(viewed.URL)
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
	Session visit.ID `json:"session_id,omitempty"`
	Hit     visit.ID `json:"hit_id"`
	// CI is as it was sent.
	CI string `json:"ci"`
}

// addVisitorInformation serves vc/s/ (browser interface, section 4.3): contacts
// of the visitor from the site's server.
func (a *API) addVisitorInformation(ctx context.Context, c *call) (any, error) {
	sent, err := parseForm(c.r.URL.RawQuery, "")
	if err != nil {
		return nil, err
	}
	if c.r.Method == http.MethodPost {
		form, err := c.form()
		if err != nil {
			return nil, err
		}
		maps.Copy(sent, form)
	}
	siteKey := sent.Get("sk")
	if siteKey != c.site.Key && (siteKey != "" || !c.site.Signed) {
		return nil, unknownSite()
	}
	visitor, known := a.Visits.ParseVisitorString(c.site.ID, sent.Get("ci"))
	if !known {
		if visitor, err = identifier("ci", sent["ci"]); err != nil {
			return nil, err
		}
	}
	hit, err := identifier("hi", sent["hi"])
	if err != nil {
		return nil, err
	}
	info := visit.Info{Name: sent.Get("vn"), Email: sent.Get("ve"), Phone: sent.Get("vp"), Region: c.site.Region(ctx)}
	if err := checkInfo(info); err != nil {
		return nil, err
	}
	ref, found, err := a.Visits.Find(ctx, c.site.ID, visitor, hit)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, foreignIDs()
	}
	if c.site.Signed && !a.Visits.Verify(c.site.ID, sent.Get("ur"), ref, sent.Get("k")) {
		return nil, forged()
	}
	if _, err := a.recent(ctx, c, ref); err != nil {
		return nil, err
	}
	if err := a.Visits.AddInfo(ctx, c.site.ID, ref, info); err != nil {
		return nil, err
	}
	if sent.Get("s") == "1" {
		return succeeded{true}, nil
	}
	answer := informationAnswer{Success: true, SiteKey: c.site.Key, Visitor: ref.Visitor, Hit: ref.Hit, CI: sent.Get("ci")}
	if c.site.Signed {
		answer.Session = ref.Session // the key is signed over it
	}
	return answer, nil
}

// identifier reads an id that a field holds.
func identifier(name string, values []string) (visit.ID, error) {
	if len(values) == 0 || values[0] == "" {
		return 0, malformed("missing", "%s is missing", name)
	}
	id, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil || id <= 0 || id >= 1<<53 || len(values) > 1 {
		return 0, malformed("wrong_type", "%s must be the integer that the credentials hold", name)
	}
	return visit.ID(id), nil
}
