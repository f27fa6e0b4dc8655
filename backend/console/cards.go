package console

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const (
	// maxCardLeads is how many leads a visitor's card shows.
	maxCardLeads = 50
	// maxCardCalls is how many calls a visitor's card shows, firstCalls how many at first.
	maxCardCalls = 50
	firstCalls   = 5
)

// cards fill visitors' cards.
type cards struct {
	Leads  *lead.Leads
	Leases *number.Leases
	Calls  *number.Calls
}

// Of is the visitor's card with the leads, the numbers that were shown, and the calls.
func (c *cards) Of(ctx context.Context, p frame, siteID int64, found visit.Card) (shown card, err error) {
	leads, err := c.Leads.OfVisitor(ctx, siteID, found.Visitor, maxCardLeads)
	if err != nil {
		return shown, err
	}
	leases, err := c.Leases.OfVisitor(ctx, siteID, found.Visitor)
	if err != nil {
		return shown, err
	}
	shown = cardOf(p.Words, siteID, found, rowsOf(p, leads, leadRowOf), leases)
	calls, err := c.Calls.OfVisitor(ctx, siteID, found.Visitor, maxCardCalls)
	if err != nil {
		return shown, err
	}
	rows := rowsOf(p, calls, callRowOf)
	shown.Calls = fold(rows, firstCalls)
	for _, row := range rows {
		shown.add(row.Session, step{Kind: "call", At: row.At, Call: row})
	}
	return shown, nil
}

// callsBack tells whether somebody of the site can be called back now.
func callsBack(ctx context.Context, f *Frame, p frame, callbacks *callback.Callbacks, siteID int64) (bool, error) {
	s, _ := p.Site(siteID)
	return callbacks.Possible(ctx, siteID, callbackSettings(f, s))
}

// callbackSettings are those in effect for the site.
func callbackSettings(f *Frame, s site.Site) callback.Settings {
	if set := f.effective(s).Callback; set != nil {
		return *set
	}
	return callback.Settings{}
}
