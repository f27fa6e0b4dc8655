// Package attribution decides which of a visitor's visits counts for the numbers that the visitor sees. It goes by the
// cookie that pages set, without the database, or by the stored visits, and comes to the same choice. The edge asks it
// for each page and each view.
package attribution

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Model says which of a visitor's visits decides about the numbers. A visit begins with a click that has a campaign or a
// click id or comes from another host. A direct visit begins after a pause.
type Model string

// The models.
const (
	First         Model = "first"           // the first visit; later visits change nothing
	Last          Model = "last"            // the current visit, even if it is direct
	LastNonDirect Model = "last_non_direct" // the last visit that was not direct
)

// Check returns an error for any other value.
func (m Model) Check() error {
	switch m {
	case First, Last, LastNonDirect:
		return nil
	}
	return fmt.Errorf("attribution %q: expected first, last or last_non_direct", string(m))
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
	Source source.Source
	// Within says that the visitor comes from a page of the site, so that a visit goes on.
	Within bool
	// At is when the visitor asks for the page.
	At time.Time
}

// PageAt returns the page of an address with its host, as attribution needs it. own are the hosts of the site. internal
// says that the browser declares the request to come from the site itself.
func PageAt(address *url.URL, referrer string, own source.Own, internal bool, at time.Time) Page {
	page := Page{Source: source.At(address, referrer, own), At: at}
	// The source is direct only if the referrer is no other host's.
	page.Within = page.Source.Kind == source.Direct && (strings.HasPrefix(referrer, "http") || internal)
	return page
}

// Follow returns the numbers for a page of a visitor. remembered is nil if nothing is remembered of the visitor. next
// is what to remember from now on; it is nil if nothing of the source can decide about a later page. changed says
// whether the browser has to be sent next.
func (m Model) Follow(plan *number.Plan, remembered *Remembered, page Page) (numbers number.Choice, next *Remembered, changed bool) {
	deciding := compact(m.decide(remembered, page))
	numbers = plan.Choose(deciding)
	if next = m.remember(plan, deciding, numbers, page.At); next == nil {
		return numbers, nil, remembered != nil
	}
	return numbers, next, remembered == nil || remembered.Source != deciding || !remembered.fresh(m, page.At)
}

// remember returns what to remember of the source that decides, which gives the numbers. It is nil if nothing of the
// source can decide about a later page.
func (m Model) remember(plan *number.Plan, deciding source.Source, numbers number.Choice, at time.Time) *Remembered {
	if deciding.Kind == "" || m != First && !plan.ForDirect() && numbers == plan.Choose(source.Source{}) {
		return nil
	}
	return &Remembered{Source: deciding, Seen: at}
}

// decide returns the source of the visit that decides. It returns the zero source if that visit is not known.
func (m Model) decide(remembered *Remembered, page Page) source.Source {
	arrived := page.Source.Kind != source.Direct
	if remembered == nil {
		if arrived || !page.Within {
			return page.Source
		}
		return source.Source{}
	}
	switch {
	case m == Last && page.At.Sub(remembered.Seen) > visit.Pause, m != First && arrived:
		return page.Source
	}
	return remembered.Source
}

// fresh says whether the remembered time is recent enough to stay.
func (r *Remembered) fresh(m Model, now time.Time) bool {
	limit := refreshMemory
	if m == Last {
		limit = refreshActivity
	}
	return now.Sub(r.Seen).Abs() < limit
}
