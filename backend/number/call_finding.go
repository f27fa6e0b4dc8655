package number

import (
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Reason is why a call is taken for that of a visitor or a campaign.
type Reason string

// The reasons, the best first.
const (
	// KnownShown: the caller's number is known of a visitor, whom the called one was shown.
	KnownShown Reason = "known_shown"
	// KnownCaller: the caller's number is known of a visitor, and the called one is shown to
	// nobody alone.
	KnownCaller Reason = "known"
	// ShownNow: the called number was shown to one visitor at the time.
	ShownNow Reason = "shown"
	// ShownBefore: it was shown to one visitor within the day before, and to nobody at the time.
	ShownBefore Reason = "shown_before"
	// ShownMany: it was shown to several visitors, of whom this is the one who came last.
	ShownMany Reason = "shown_many"
	// Campaign: it stands for the visitors of some source, and is none of a pool.
	Campaign Reason = "campaign"
	// Printed: it is the number that the site's pages print, so that anybody has it.
	Printed Reason = "printed"
	// Pooled: it is a pool's, and was shown to nobody for a day.
	Pooled Reason = "pooled"
	// Nothing: it is no number of any site.
	Nothing Reason = "unknown"
)

// Reasons are all of them.
var Reasons = []Reason{KnownShown, KnownCaller, ShownNow, ShownBefore, ShownMany, Campaign, Printed, Pooled, Nothing}

// Confidence is how far a reason is to be trusted.
type Confidence string

// The confidences.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
	None   Confidence = "none" // nothing is known of the visit
)

// confidences are those of the reasons. That of [Campaign] is about the campaign.
var confidences = map[Reason]Confidence{
	KnownShown: High, KnownCaller: Medium, ShownNow: High, ShownBefore: Medium, ShownMany: Low, Campaign: Medium, Printed: None, Pooled: None, Nothing: None,
}

// standing is a site's number that has the called digits.
type standing struct {
	site       int64
	replaces   string // the printed number; the digits themselves for one that is printed
	conditions string
	retired    bool
	pooled     bool
}

// acquaintance is a visitor of a site whose number is the caller's.
type acquaintance struct {
	site             int64
	visitor, session visit.ID
	called           string // by an earlier call, if it is known from one
}

// evidence is what is known when a call comes in.
type evidence struct {
	called string
	at     time.Time
	// leases are those of the called number that counted then or had ended within a day,
	// the one that began last first.
	leases []Lease
	// standings are the sites' numbers with these digits, the most telling first.
	standings []standing
	// acquaintances are those who are known by the caller's number, the latest first.
	acquaintances []acquaintance
}

// find says whose call it is. It decides by nothing but what it is given.
func (e evidence) find() (site int64, found Finding) {
	current, past := e.holders()
	// The caller's own visitor comes first: a number is leased again while somebody still
	// has it on paper.
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

// last takes the call for that of the first of the leases, for the reason, or for
// [ShownMany] if another visitor has one of them.
func (e evidence) last(leases []Lease, reason Reason) (site int64, found Finding) {
	l := leases[0]
	if slices.ContainsFunc(leases, func(other Lease) bool { return other.Site != l.Site || other.Visitor != l.Visitor }) {
		reason = ShownMany
	}
	return e.by(reason, l.Site, l.Replaces, l.Visitor, l.Session)
}

// holders are the leases that counted at the time, and those that had ended, the last one
// to end first.
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

// replaced is the printed number that the called one stands for at the site.
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
