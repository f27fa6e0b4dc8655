package number

import (
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Reason says why a call is attributed to a visitor or a campaign.
type Reason string

// The reasons, the best first.
const (
	// KnownShown: the caller is known as a visitor who saw the called number, or who has called the same number before.
	KnownShown Reason = "known_shown"
	// KnownCaller: the caller is known as a visitor, and nobody had the called number within the day before.
	KnownCaller Reason = "known"
	// ShownNow: one visitor saw the called number at the time.
	ShownNow Reason = "shown"
	// ShownBefore: one visitor saw it within the day before, and nobody at the time.
	ShownBefore Reason = "shown_before"
	// ShownMany: several visitors saw it. This is the last of them.
	ShownMany Reason = "shown_many"
	// Campaign: it is the static tracking number for some visitors.
	Campaign Reason = "campaign"
	// Printed: it is printed on the site's pages.
	Printed Reason = "printed"
	// Pooled: it belongs to a pool, and nobody has seen it for a day.
	Pooled Reason = "pooled"
	// Nothing: it is no number of any site.
	Nothing Reason = "unknown"
)

// Reasons are all reasons.
var Reasons = []Reason{KnownShown, KnownCaller, ShownNow, ShownBefore, ShownMany, Campaign, Printed, Pooled, Nothing}

// Confidence says how far a reason can be trusted.
type Confidence string

// The confidences.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
	None   Confidence = "none" // nothing is known of the visit
)

// confidences are the confidences of the reasons. That of [Campaign] is about the campaign only.
var confidences = map[Reason]Confidence{
	KnownShown: High, KnownCaller: Medium, ShownNow: High, ShownBefore: Medium, ShownMany: Low, Campaign: Medium, Printed: None, Pooled: None, Nothing: None,
}

// standing is a number of a site with the called digits.
type standing struct {
	site       int64
	replaces   string // the printed number; the called digits if they are printed
	conditions string
	pooled     bool
}

// acquaintance is a visitor of a site who is known by the caller's number.
type acquaintance struct {
	site             int64
	visitor, session visit.ID
	called           string // the number of an earlier call, if the visitor is known from one
}

// evidence is what is known of a call when it comes in.
type evidence struct {
	called string
	at     time.Time
	// leases are the leases of the called number that were valid at the time or ended within a day before. The one that
	// began last comes first.
	leases []Lease
	// standings are the sites' numbers with the called digits, the most telling first.
	standings []standing
	// acquaintances are the visitors who are known by the caller's number. At each site, those of earlier calls come
	// first.
	acquaintances []acquaintance
}

// find attributes the call by the evidence alone.
func (e evidence) find() (site int64, found Finding) {
	current, past := e.holders()
	// A visitor who is known by the caller's number comes first: a number may be leased again while somebody still has
	// it on paper.
	for _, l := range append(slices.Clip(current), past...) {
		if slices.ContainsFunc(e.acquaintances, func(a acquaintance) bool { return a.site == l.Site && a.visitor == l.Visitor }) {
			return e.by(KnownShown, l.Site, l.Replaces, l.Visitor, l.Session)
		}
	}
	for _, a := range e.acquaintances {
		if a.called == e.called {
			return e.by(KnownShown, a.site, e.replaced(a.site), a.visitor, a.session)
		}
	}
	if len(current)+len(past) == 0 && len(e.acquaintances) > 0 {
		a := e.acquaintances[0]
		return e.by(KnownCaller, a.site, e.replaced(a.site), a.visitor, a.session)
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
	case s.replaces == e.called:
		reason = Printed
	case s.pooled:
		reason = Pooled
	}
	site, found = e.by(reason, s.site, s.replaces, 0, 0)
	found.Conditions = s.conditions
	return site, found
}

// last attributes the call to the first of the leases, for the reason. The reason is [ShownMany] if another visitor has
// one of the leases.
func (e evidence) last(leases []Lease, reason Reason) (site int64, found Finding) {
	l := leases[0]
	if slices.ContainsFunc(leases, func(other Lease) bool { return other.Site != l.Site || other.Visitor != l.Visitor }) {
		reason = ShownMany
	}
	return e.by(reason, l.Site, l.Replaces, l.Visitor, l.Session)
}

// holders returns the leases that were valid at the time, and those that had ended, the last one to end first.
func (e evidence) holders() (current, past []Lease) {
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
	slices.SortStableFunc(past, func(a, b Lease) int { return b.Until.Compare(a.Until) })
	return current, past
}

// replaced returns the printed number that the called number stands for at the site.
func (e evidence) replaced(site int64) string {
	for _, s := range e.standings {
		if s.site == site {
			return s.replaces
		}
	}
	return ""
}

func (e evidence) by(reason Reason, site int64, replaces string, visitor, session visit.ID) (int64, Finding) {
	f := Finding{Reason: reason, Confidence: confidences[reason], Replaces: replaces, Visitor: visitor, Session: session}
	for _, s := range e.standings {
		if s.site == site {
			f.Conditions = s.conditions
			break
		}
	}
	return site, f
}
