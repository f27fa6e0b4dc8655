package rows

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const (
	// maxCardLeads is how many leads a visitor's card shows.
	maxCardLeads = 50
	// maxCardCalls is how many calls a visitor's card shows, firstCalls how many at first.
	maxCardCalls = 50
	FirstCalls   = 5
)

// Cards fill visitors' cards.
type Cards struct {
	Leads  *lead.Leads
	Leases *lease.Leases
	Calls  *call.Calls
}

// Of is the visitor's card with the leads, the numbers that were shown, and the calls.
func (c *Cards) Of(ctx context.Context, p frame.Page, siteID int64, found visit.Card) (shown Card, err error) {
	leads, err := c.Leads.OfVisitor(ctx, siteID, found.Visitor, maxCardLeads)
	if err != nil {
		return shown, err
	}
	leases, err := c.Leases.OfVisitor(ctx, siteID, found.Visitor)
	if err != nil {
		return shown, err
	}
	shown = cardOf(p.Words, siteID, found, frame.Rows(p, leads, LeadRowOf), leases)
	calls, err := c.Calls.OfVisitor(ctx, siteID, found.Visitor, maxCardCalls)
	if err != nil {
		return shown, err
	}
	rows := frame.Rows(p, calls, CallRowOf)
	shown.Calls = Fold(rows, FirstCalls)
	for _, row := range rows {
		shown.Add(row.Session, Step{Kind: "call", At: row.At, Call: row})
	}
	return shown, nil
}
