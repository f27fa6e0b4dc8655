package leads

import (
	"context"
	"encoding/json"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/limit"
)

// maxLeadBody is the size in bytes of a lead of the script. Texts beyond
// [gate.MaxScriptBody] are sent before the page is left.
const maxLeadBody = 1 << 20

// leadAnswer is the result object of addOfflineRequest (browser interface,
// 2.7): after success its result is null.
type leadAnswer struct {
	Success bool         `json:"success"`
	Result  *gate.Result `json:"result"`
	// Notes say which fields could not be stored as they were sent.
	Notes []submission.Note `json:"notes,omitempty"`
}

// lead serves v1/lead: addOfflineRequest.
func (l *Leads) lead(ctx context.Context, r *gate.Request) (any, error) {
	var sent struct {
		view.From
		Request json.RawMessage `json:"request"`
	}
	if err := r.Decode(&sent, maxLeadBody); err != nil {
		return nil, err
	}
	if sent.Request == nil {
		return nil, gate.Malformed("missing", "request is missing")
	}
	submitted := l.submitted(r, refused.Refusal{Origin: lead.Script, Sent: sent.Request})
	s, err := submission.FromObject(sent.Request)
	if err != nil {
		return nil, err
	}
	if sent.Credentials != nil {
		if v, err := l.views.Verified(r, *sent.Credentials); err == nil {
			submitted.Ref, submitted.URL = v.Ref, v.URI
		}
	}
	if err := s.Check(); err != nil { // before a view is stored with it
		return nil, err
	}
	v, err := l.views.FindOnce(ctx, r, sent.From)
	if err != nil {
		return nil, err
	}
	s.Origin, s.CallID = lead.Script, sent.ID
	if err := l.add(ctx, r, v, &s); err != nil {
		return nil, err
	}
	return leadAnswer{Success: true, Notes: s.Notes}, nil
}

// add stores the submission as a lead of the page view.
func (l *Leads) add(ctx context.Context, r *gate.Request, from view.View, s *submission.Submission) error {
	s.SiteID, s.Region, s.Ref, s.URL = r.Site.ID, r.Site.Region(ctx), from.Ref, from.URI
	if err := s.Check(); err != nil {
		return err
	}
	if !l.views.HasRoom(ctx, r, from.Visitor, s.Size()) {
		if err := s.Shorten(); err != nil {
			return err
		}
	}
	if s.Origin != lead.Server && l.visits.IsBot(r.Field("User-Agent", view.MaxUserAgent)) {
		s.Marks = append(s.Marks, lead.Bot)
	}
	if s.Origin != lead.Form { // of forms it has been found out
		if err := r.Site.Within(ctx, limit.Leads, limit.Disk); err != nil {
			return err
		}
	}
	_, repeated, err := l.leads.Add(ctx, *s)
	if err == nil && !repeated {
		r.Site.Used(limit.Leads)
		r.Site.Stored(s.Size())
	}
	return err
}
