package api

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"net/netip"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/pace"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// leadAnswer is the result object of addOfflineRequest (browser interface,
// 2.7): after success its result is null.
type leadAnswer struct {
	Success bool    `json:"success"`
	Result  *result `json:"result"`
	// Notes say which fields could not be stored as they were sent.
	Notes []submission.Note `json:"notes,omitempty"`
}

// lead serves v1/lead: addOfflineRequest.
func (a *API) lead(ctx context.Context, c *call) (any, error) {
	var sent struct {
		caller
		Request json.RawMessage `json:"request"`
	}
	if err := c.decode(&sent, maxLeadBody); err != nil {
		return nil, err
	}
	if sent.Request == nil {
		return nil, malformed("missing", "request is missing")
	}
	c.submitted = &lead.Refused{Origin: lead.Script, Sent: sent.Request}
	s, err := submission.FromObject(sent.Request)
	if err != nil {
		return nil, err
	}
	if sent.Credentials != nil {
		if p, err := a.verified(c, *sent.Credentials); err == nil {
			c.submitted.Ref, c.submitted.URL = p.Ref, p.uri
		}
	}
	if err := s.Check(); err != nil { // before a view is stored with it
		return nil, err
	}
	p, err := a.page(ctx, c, sent.caller)
	if err != nil {
		return nil, err
	}
	s.Origin, s.CallID = lead.Script, sent.ID
	if err := a.addLead(ctx, c, p, &s); err != nil {
		return nil, err
	}
	return leadAnswer{Success: true, Notes: s.Notes}, nil
}

// addLead stores the submission as a lead of the page view.
func (a *API) addLead(ctx context.Context, c *call, from page, s *submission.Submission) error {
	s.SiteID, s.Region, s.Ref, s.URL = c.site.ID, c.site.Region(ctx), from.Ref, from.uri
	if err := s.Check(); err != nil {
		return err
	}
	if !a.hasRoom(ctx, c, from.Visitor, s.Size()) {
		if err := s.Shorten(); err != nil {
			return err
		}
	}
	if s.Origin != lead.Server && a.Visits.IsBot(header(c.r, "User-Agent", maxUserAgent)) {
		s.Marks = append(s.Marks, lead.Bot)
	}
	_, repeated, err := a.Leads.Add(ctx, *s)
	if err == nil && !repeated {
		a.observer.Lead(c.site.Key, s.Origin)
	}
	return err
}

// keepRefused keeps the lead of a call that was refused, for the owner of the site to see why.
func (a *API) keepRefused(ctx context.Context, c *call, f *failure) {
	if c.site.Consent.Asks() && c.submitted.Ref == (visit.Ref{}) {
		// Whose it is was not proved, so nobody is known to have agreed.
		a.observer.Unkept(UnkeptRefused)
		return
	}
	a.Leads.Refuse(a.refusedOf(ctx, c, f))
}

// refusedOf is the call's lead as it is kept.
func (a *API) refusedOf(ctx context.Context, c *call, f *failure) lead.Refused {
	r := *c.submitted
	r.SiteID, r.Code, r.Reason, r.Region = c.site.ID, f.code, f.reason, c.site.Region(ctx)
	client := pace.Client(c.r.RemoteAddr)
	hidden := func(address string) string { return strconv.FormatUint(maphash.String(a.hiding, address), 36) }
	r.Network = hidden(pace.Truncated(client))
	switch {
	case r.Origin != lead.Server: // the visitor's own, which is nobody's business
		r.Address = lead.HiddenAddress + hidden(network(client))
	case c.site.WholeAddresses:
		r.Address = network(client)
	default:
		r.Address = pace.Truncated(client)
	}
	return r
}

// TruncatedClient is the first address of the network of a client, as a request's RemoteAddr has it; see [pace.Truncated].
func TruncatedClient(remote string) string {
	first, _, _ := strings.Cut(pace.Truncated(pace.Client(remote)), "/")
	return first
}

// network is the address as it is kept: of IPv6, the network that one client has whole.
func network(client netip.Addr) string {
	if client.Is6() {
		if prefix, err := client.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	if !client.IsValid() {
		return ""
	}
	return client.String()
}
