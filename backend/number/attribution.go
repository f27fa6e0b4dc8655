package number

import (
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Attribution says which of a visitor's visits decides about the numbers. A visit begins with a click that has a
// campaign or a click id or comes from another host. A direct visit begins after a pause.
type Attribution string

// The attributions.
const (
	First         Attribution = "first"           // the first visit; later visits change nothing
	Last          Attribution = "last"            // the current visit, even if it is direct
	LastNonDirect Attribution = "last_non_direct" // the last visit that was not direct
)

// Check returns an error for any other value.
func (a Attribution) Check() error {
	switch a {
	case First, Last, LastNonDirect:
		return nil
	}
	return fmt.Errorf("attribution %q: expected first, last or last_non_direct", string(a))
}

const (
	// refreshActivity and refreshMemory are the age at which the time in a visitor's cookie is renewed. refreshActivity
	// counts where the time decides when a visit ends, and refreshMemory where it only keeps the cookie from expiring.
	refreshActivity = time.Minute
	refreshMemory   = 24 * time.Hour
)

// Page is a page that a visitor asks for.
type Page struct {
	// Source is the source of the page's own address and referrer.
	Source visit.Source
	// Within says that the visitor comes from a page of the site, so that a visit goes on.
	Within bool
	// At is when the visitor asks for the page.
	At time.Time
}

// Follow returns the numbers for a page of a visitor. remembered is nil if nothing is remembered of the visitor. next
// is what to remember from now on; it is nil if nothing of the source can decide about a later page. changed says
// whether the browser has to be sent next.
func (p *Plan) Follow(a Attribution, remembered *Remembered, page Page) (numbers Choice, next *Remembered, changed bool) {
	source := compact(a.decide(remembered, page))
	numbers = p.Choose(source)
	if source.Kind == "" || a != First && !p.direct && numbers == p.everyone {
		return numbers, nil, remembered != nil
	}
	next = &Remembered{Source: source, Seen: page.At}
	return numbers, next, remembered == nil || remembered.Source != source || !remembered.fresh(a, page.At)
}

// decide returns the source of the visit that decides. It returns the zero source if that visit is not known.
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

// fresh says whether the remembered time is recent enough to stay.
func (r *Remembered) fresh(a Attribution, now time.Time) bool {
	limit := refreshMemory
	if a == Last {
		limit = refreshActivity
	}
	return now.Sub(r.Seen).Abs() < limit
}
