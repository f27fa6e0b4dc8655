package api

import (
	"context"
	"encoding/json"

	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// leadAnswer is the result object of addOfflineRequest (browser interface,
// 2.7): after success its result is null.
type leadAnswer struct {
	Success bool    `json:"success"`
	Result  *result `json:"result"`
}

// lead serves v1/lead: addOfflineRequest.
func (a *API) lead(ctx context.Context, c *call) (any, error) {
	var sent struct {
		caller
		Request json.RawMessage `json:"request"`
	}
	if err := c.decode(&sent); err != nil {
		return nil, err
	}
	if sent.Request == nil {
		return nil, malformed("missing", "request is missing")
	}
	submission, err := lead.FromObject(sent.Request)
	if err != nil {
		return nil, err
	}
	if err := submission.Check(); err != nil { // before a view is stored with it
		return nil, err
	}
	p, err := a.page(ctx, c, sent.caller)
	if err != nil {
		return nil, err
	}
	submission.Origin, submission.CallID = lead.Script, sent.ID
	if err := a.addLead(ctx, c, p, submission); err != nil {
		return nil, err
	}
	return leadAnswer{Success: true}, nil
}

// addLead stores the submission as a lead of the page view.
func (a *API) addLead(ctx context.Context, c *call, from page, s lead.Submission) error {
	s.SiteID, s.Region, s.Ref, s.URL = c.site.ID, c.site.Region(ctx), from.Ref, from.uri
	_, repeated, err := a.leads.Add(ctx, s)
	if err == nil && !repeated {
		a.observer.Lead(c.site.Key, s.Origin)
	}
	return err
}
