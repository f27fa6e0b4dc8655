// Package check tells which parts of a site's installation were seen at work, and what to do about those that were not.
package check

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit/days"
)

// Subjects are what is asked what was seen.
type Subjects struct {
	Sites     *site.Sites
	Days      *days.Days
	Sightings *sighting.Sightings
	Numbers   *inventory.Inventory
	Forms     *form.Forms
	Calls     *call.Calls
	// Service is the URL under which this server's configuration has the service of the site of a key; empty if it does not
	// tell.
	Service func(key string) string
}

// Checks look at sites.
type Checks struct {
	subjects Subjects
	now      func() time.Time
}

// New returns the checks of the subjects.
func New(s Subjects, now func() time.Time) *Checks { return &Checks{s, now} }

// Check is what was found of a site.
type Check struct {
	// Parts are the parts of the installation, in the order in which one needs the other.
	Parts []Part
	// Bare are the outcomes of pages that went out without the code, as the site's pages are counted; none if a page went
	// out with it later. See [Failings].
	Bare []site.Pages
	// Rivals are the codes of other services on the site's pages, the one that was seen last first.
	Rivals []sighting.Rival
}

// Missing is how many parts are not at work that should be.
func (c Check) Missing() (n int) {
	for _, part := range c.Parts {
		if part.State == Missing || part.State == Old {
			n++
		}
	}
	return n
}

// Woven is the outcome of a page that goes out with the code.
const Woven = "woven"

// Failings are the outcomes of pages that go out without the code and that somebody may want to do something about. All
// others are no pages, or nothing is wrong with them.
var Failings = []string{"csp", "charset", "encoding", "no_place", "no_transform", "fragment", "frameset", "crowded", "error"}

// seen is what was seen of a site, and when last. Times are zero for never.
type seen struct {
	page, code time.Time // a page, and one with the code
	others     bool      // answers that are no pages
	script     time.Time // a browser has loaded it
	hit        time.Time // page view or event
	replaced   time.Time // a number, before its page left the server
	given      time.Time // a number, to the script of a visitor
	form       time.Time // on its way to the site
	call       time.Time
	tracked    bool // some number has another that is shown in its place
	onPages    bool // such a number stands on the pages
}

// Of looks at the site.
func (c *Checks) Of(ctx context.Context, of site.Site) (found Check, err error) {
	var s seen
	if found.Bare, err = c.pages(ctx, of.ID, &s); err != nil {
		return Check{}, err
	}
	at, err := c.subjects.Sightings.Of(ctx, of.ID)
	if err != nil {
		return Check{}, err
	}
	s.script, s.replaced, s.given = at[sighting.Script], at[sighting.Replaced], at[sighting.Given]
	if found.Rivals, err = c.subjects.Sightings.Rivals(ctx, of.ID); err != nil {
		return Check{}, err
	}
	if err := c.numbers(ctx, of.ID, &s); err != nil {
		return Check{}, err
	}
	if err := c.senders(ctx, of.ID, &s); err != nil {
		return Check{}, err
	}
	found.Parts = parts(s, of.Key, c.prefix(of.Key), c.now())
	return found, nil
}

// pages looks at what became of the site's pages, and returns those that went out without the code.
func (c *Checks) pages(ctx context.Context, siteID int64, s *seen) (bare []site.Pages, err error) {
	pages, err := c.subjects.Sites.Pages(ctx, scope.Of(siteID), site.PagesKept)
	if err != nil {
		return nil, err
	}
	for _, p := range pages[siteID] {
		switch {
		case p.Outcome == Woven:
			s.code = p.LastAt
		case slices.Contains(Failings, p.Outcome):
			bare = append(bare, p)
		default:
			s.others = s.others || p.Number > 0
			continue
		}
		if p.LastAt.After(s.page) {
			s.page = p.LastAt
		}
	}
	return slices.DeleteFunc(bare, func(p site.Pages) bool { return p.LastAt.Before(s.code) }), nil
}

// numbers looks whether the site's numbers are tracked, and stand on its pages.
func (c *Checks) numbers(ctx context.Context, siteID int64, s *seen) error {
	declared, err := c.subjects.Numbers.Declared(ctx, siteID)
	if err != nil {
		return err
	}
	printed, err := c.subjects.Numbers.List(ctx, siteID)
	for _, d := range declared {
		if len(d.Tracking) > 0 {
			s.tracked = true
			s.onPages = s.onPages || slices.ContainsFunc(printed, func(p inventory.PrintedNumber) bool { return p.Digits == d.Digits })
		}
	}
	return err
}

// senders look when visitors, forms and calls came last.
func (c *Checks) senders(ctx context.Context, siteID int64, s *seen) error {
	hits, err := c.subjects.Days.LastSeen(ctx, []int64{siteID})
	if err != nil {
		return err
	}
	s.hit = hits[siteID]
	forms, err := c.subjects.Forms.List(ctx, scope.Of(siteID))
	if err != nil {
		return err
	}
	if len(forms) > 0 {
		s.form = forms[0].LastAt
	}
	calls, err := c.subjects.Calls.List(ctx, call.Filter{Sites: scope.Of(siteID)}, call.Cursor{}, 1)
	if len(calls) > 0 {
		s.call = calls[0].StartedAt
	}
	return err
}

// prefix is the path under which this server answers for the site of the key.
func (c *Checks) prefix(key string) string {
	if of, err := url.Parse(c.subjects.Service(key)); err == nil && of.Path != "" {
		return of.Path
	}
	return "/frontdesk/"
}
