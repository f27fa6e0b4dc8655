package leads

import (
	"context"
	"hash/maphash"
	"net/netip"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/pace"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// submitted has the lead of the request kept if the request is refused, for the owner of the site to see why.
func (l *Leads) submitted(r *gate.Request, submitted refused.Refusal) *refused.Refusal {
	r.Refused = func(ctx context.Context, f *gate.Failure) {
		if r.Site.Consent.Asks() && submitted.Ref == (visit.Ref{}) {
			// Whose it is was not proved, so nobody is known to have agreed.
			l.observer.Unkept(gate.UnkeptRefused)
			return
		}
		l.refusals.AddSoon(l.refused(ctx, r, submitted, f))
	}
	return &submitted
}

// refused is what was submitted by the request as it is kept.
func (l *Leads) refused(ctx context.Context, r *gate.Request, s refused.Refusal, f *gate.Failure) refused.Refusal {
	s.SiteID, s.Code, s.Reason, s.Region = r.Site.ID, f.Code, f.Reason, r.Site.Region(ctx)
	client := pace.Client(r.RemoteAddr)
	hidden := func(address string) string { return strconv.FormatUint(maphash.String(l.hiding, address), 36) }
	s.Network = hidden(pace.Truncated(client))
	switch {
	case s.Origin != lead.Server: // the visitor's own, which is nobody's business
		s.Address = refused.HiddenAddress + hidden(network(client))
	case r.Site.WholeAddresses:
		s.Address = network(client)
	default:
		s.Address = pace.Truncated(client)
	}
	return s
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
