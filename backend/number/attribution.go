package number

import (
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Attribution says which of a visitor's visits decides about the numbers. A visit
// begins with a click that carries a campaign or click id or comes from another
// host, or directly after a pause.
type Attribution string

// The attributions.
const (
	First         Attribution = "first"           // the first visit; what comes later changes nothing
	Last          Attribution = "last"            // the current visit, be it a direct one
	LastNonDirect Attribution = "last_non_direct" // the last visit that was not direct
)

// Check refuses what is none of them.
func (a Attribution) Check() error {
	switch a {
	case First, Last, LastNonDirect:
		return nil
	}
	return fmt.Errorf("attribution %q: expected first, last or last_non_direct", string(a))
}

const (
	// refreshActivity and refreshMemory are the age at which the time in a
	// visitor's cookie is renewed: where it tells when a visit ends, and where it
	// only keeps the cookie from expiring.
	refreshActivity = time.Minute
	refreshMemory   = 24 * time.Hour
)

// Page is a page that a visitor asks for.
type Page struct {
	// Source is that of the page's own address and referrer.
	Source visit.Source
	// Within says that the visitor comes from a page of the site itself, so that a
	// visit goes on.
	Within bool
	// At is the time.
	At time.Time
}

// Follow finds the numbers for a page of a visitor who is remembered, or not, and
// what to remember from now on; nil for nothing. Only what can decide about a
// later page is remembered. Whether next has to be sent is told by changed.
func (p *Plan) Follow(a Attribution, remembered *Remembered, page Page) (numbers Choice, next *Remembered, changed bool) {
	source := compact(a.decide(remembered, page))
	numbers = p.Choose(source)
	if source.Kind == "" || a != First && !p.direct && numbers == p.everyone {
		return numbers, nil, remembered != nil
	}
	next = &Remembered{Source: source, Seen: page.At}
	return numbers, next, remembered == nil || remembered.Source != source || !remembered.fresh(a, page.At)
}

// decide is the source of the visit that decides; the zero source when that visit
// is not known.
func (a Attribution) decide(remembered *Remembered, page Page) visit.Source {
	arrived := page.Source.Kind != visit.Direct
	if remembered == nil {
		if arrived || !page.Within {
			return page.Source
		}
		return visit.Source{}
	}
	switch {
	case a == Last && page.At.Sub(remembered.Seen) > visit.SessionPause, a != First && arrived:
		return page.Source
	}
	return remembered.Source
}

// fresh tells whether the time that is remembered can stay as it is.
func (r *Remembered) fresh(a Attribution, now time.Time) bool {
	limit := refreshMemory
	if a == Last {
		limit = refreshActivity
	}
	return now.Sub(r.Seen).Abs() < limit
}
