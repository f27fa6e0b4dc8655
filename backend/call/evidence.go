package call

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// acquaintance is a visitor of a site who is known by the caller's number.
type acquaintance struct {
	site           int64
	visitor, visit visit.ID
	called         string // the number of an earlier call, if the visitor is known from one
}

// evidence is what is known of a call when it comes in.
type evidence struct {
	called string
	at     time.Time
	// leases are the leases of the called number that were valid at the time or ended within a day before. The one that
	// began last comes first.
	leases []lease.Lease
	// standings are the sites' numbers with the called digits, the most telling first.
	standings []inventory.Standing
	// pooled says that the called number belongs to a pool.
	pooled bool
	// acquaintances are the visitors who are known by the caller's number. At each site, those of earlier calls come
	// first.
	acquaintances []acquaintance
}

// maxAcquaintances bounds the visitors of a site who are known by the caller's number.
const maxAcquaintances = 20

// endOfSecond returns the end of the second if the time has no fraction, and otherwise the time. Some platforms cut
// times to whole seconds, and a number may have been leased within the second.
func endOfSecond(at time.Time) time.Time {
	if at.Nanosecond() != 0 {
		return at
	}
	return at.Add(time.Second - time.Millisecond)
}

// attribute finds whose call it is.
func (c *Calls) attribute(ctx context.Context, tx db.Tx, call *Call) (site int64, found Finding, err error) {
	e := evidence{called: call.Called, at: endOfSecond(call.StartedAt)}
	if call.Called != "" {
		if e.leases, err = c.leases.Of(ctx, tx, call.Called, e.at); err != nil {
			return 0, Finding{}, err
		}
		if e.standings, err = inventory.Standings(ctx, tx, call.Called); err != nil {
			return 0, Finding{}, err
		}
		if e.pooled = len(e.leases) > 0; !e.pooled {
			if e.pooled, err = c.leases.Pooled(ctx, tx, call.Called); err != nil {
				return 0, Finding{}, err
			}
		}
	}
	if call.Caller != "" {
		for _, site := range e.sites() {
			known, err := c.acquaintances(ctx, tx, site, call)
			if err != nil {
				return 0, Finding{}, err
			}
			e.acquaintances = append(e.acquaintances, known...)
		}
	}
	site, found = e.find()
	if found.Visit != 0 {
		sources, err := c.visits.SourcesTx(ctx, tx, site, found.Visit)
		if err != nil {
			return 0, Finding{}, err
		}
		found.Source = sources[found.Visit]
	}
	return site, found, nil
}

// sites returns the sites that the call may be for.
func (e evidence) sites() (sites []int64) {
	for _, l := range e.leases {
		sites = append(sites, l.Site)
	}
	for _, s := range e.standings {
		sites = append(sites, s.Site)
	}
	var each []int64
	for _, site := range sites {
		if !slices.Contains(each, site) {
			each = append(each, site)
		}
	}
	return each
}

// latestOfCaller is how many earlier calls of a caller are looked at: whoever wants can call again and again.
const latestOfCaller = 100

// earlierCalls has the order by which SQLite takes the index of callers, and not the one that has all calls of a site.
const earlierCalls = `SELECT site_id, visitor_id, visit_id, called FROM (SELECT * FROM calls WHERE site_id = $1 AND caller = $2 AND caller <> '' AND started_at < $3 ORDER BY started_at DESC LIMIT $4) AS latest
	WHERE visitor_id <> 0 AND confidence = 'high' ORDER BY started_at DESC, id DESC LIMIT $5`

// acquaintances returns the visitors of the site who are known by the caller's number: from an earlier call, or because
// they have left it on the site. Of the latest hundred calls those count whose attribution is sure.
func (c *Calls) acquaintances(ctx context.Context, tx db.Tx, site int64, call *Call) (list []acquaintance, err error) {
	list, err = db.List(ctx, tx, func(a *acquaintance) []any { return []any{&a.site, &a.visitor, &a.visit, &a.called} }, earlierCalls,
		site, call.Caller, call.StartedAt.UnixMilli(), latestOfCaller, maxAcquaintances)
	if err != nil {
		return nil, fmt.Errorf("finding earlier calls: %w", err)
	}
	left, err := c.visits.OfPhone(ctx, tx, site, call.Caller, maxAcquaintances)
	if err != nil {
		return nil, err
	}
	for _, v := range left {
		list = append(list, acquaintance{site: site, visitor: v.Visitor, visit: v.Visit})
	}
	return list, nil
}

// find attributes the call by the evidence alone.
func (e evidence) find() (site int64, found Finding) {
	current, past := e.holders()
	// A visitor who is known by the caller's number comes first: a number may be leased again while somebody still has
	// it on paper.
	for _, l := range append(slices.Clip(current), past...) {
		if slices.ContainsFunc(e.acquaintances, func(a acquaintance) bool { return a.site == l.Site && a.visitor == l.Visitor }) {
			return e.by(KnownShown, l.Site, l.Replaces, l.Visitor, l.Visit)
		}
	}
	for _, a := range e.acquaintances {
		if a.called == e.called {
			return e.by(KnownShown, a.site, e.replaced(a.site), a.visitor, a.visit)
		}
	}
	if len(current)+len(past) == 0 && len(e.acquaintances) > 0 {
		a := e.acquaintances[0]
		return e.by(KnownCaller, a.site, e.replaced(a.site), a.visitor, a.visit)
	}
	if len(current) > 0 {
		return e.last(current, ShownNow)
	}
	if len(past) > 0 {
		return e.last(past, ShownBefore)
	}
	if len(e.standings) == 0 {
		return 0, Finding{Reason: Nothing, Confidence: confidences[Nothing]}
	}
	s := e.standings[0]
	reason := Campaign
	switch {
	case s.Replaces == e.called:
		reason = Printed
	case e.pooled:
		reason = Pooled
	}
	site, found = e.by(reason, s.Site, s.Replaces, 0, 0)
	found.Conditions = s.Conditions
	return site, found
}

// last attributes the call to the first of the leases, for the reason. The reason is [ShownMany] if another visitor has
// one of the leases.
func (e evidence) last(leases []lease.Lease, reason Reason) (site int64, found Finding) {
	l := leases[0]
	if slices.ContainsFunc(leases, func(other lease.Lease) bool { return other.Site != l.Site || other.Visitor != l.Visitor }) {
		reason = ShownMany
	}
	return e.by(reason, l.Site, l.Replaces, l.Visitor, l.Visit)
}

// holders returns the leases that were valid at the time, and those that had ended, the last one to end first.
func (e evidence) holders() (current, past []lease.Lease) {
	for _, l := range e.leases {
		if l.Visitor == 0 || l.Begun.After(e.at) {
			continue
		}
		if l.Until.Before(e.at) {
			past = append(past, l)
		} else {
			current = append(current, l)
		}
	}
	slices.SortStableFunc(past, func(a, b lease.Lease) int { return b.Until.Compare(a.Until) })
	return current, past
}

// replaced returns the printed number that the called number stands for at the site.
func (e evidence) replaced(site int64) string {
	for _, s := range e.standings {
		if s.Site == site {
			return s.Replaces
		}
	}
	return ""
}

func (e evidence) by(reason Reason, site int64, replaces string, visitor, visitID visit.ID) (int64, Finding) {
	f := Finding{Reason: reason, Confidence: confidences[reason], Replaces: replaces, Visitor: visitor, Visit: visitID}
	for _, s := range e.standings {
		if s.Site == site {
			f.Conditions = s.Conditions
			break
		}
	}
	return site, f
}
