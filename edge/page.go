package edge

import (
	"context"
	"errors"
	"net/http"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/edge/effect"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// servePage passes a request on, and weaves the insertion code and the numbers into the answer. It also handles
// previews, visitors from other hosts of the site, and forms.
func (b *Block) servePage(w http.ResponseWriter, r *http.Request, q *effect.Request, next effect.Next) error {
	if b.turnPreview(w, r, q) || b.turnCrossing(w, r, q) {
		return nil
	}
	if q.Effect != nil && (r.Method == http.MethodPost || r.Method == http.MethodPut || r.Method == http.MethodPatch) {
		return b.edge.posts.Serve(w, r, q, func(w http.ResponseWriter, r *http.Request) error { return b.passPage(w, r, q, next) })
	}
	return b.passPage(w, r, q, next)
}

// passPage passes a request on, and weaves the insertion code and the numbers into the answer.
func (b *Block) passPage(w http.ResponseWriter, r *http.Request, q *effect.Request, next effect.Next) error {
	var p passage
	if !b.Guard("before a page", func() { p = b.passage(r, q) }) {
		p = passage{reason: panicked}
	}
	if p.reason != unknownSite { // the site has none of the service's cookies
		if saved := effect.HideCookies(r.Header); saved != nil {
			defer func() { r.Header["Cookie"] = saved }()
		}
	}
	if p.code == nil {
		if p.reason != "" {
			b.edge.Observer.Passed(p.reason)
		}
		return next(w, r)
	}
	host := r.Host
	result, err := page.Serve(p.code, w, r, p.visit, next)
	b.edge.Observer.Page(q.Site.Key, result)
	b.Guard("counting a page", func() { b.edge.count(q.Site.ID, result, host) })
	return err
}

// timedPages: one of so many pages is measured, since each part of a page needs a look at the clock.
const timedPages = 16

// count counts a page of the site for the console. It does not count a page whose site the service does not know.
func (e *Edge) count(siteID int64, of page.Result, host string) {
	if siteID == 0 {
		return
	}
	if desk, done, err := e.Service.Use(); err == nil {
		defer done()
		desk.Sites.Page(siteID, string(of.Outcome))
		desk.Sites.Serve(siteID, host)
		if of.Replaced {
			desk.Sightings.Note(siteID, sighting.Replaced)
		}
	}
}

// passage says how a page passes: with the code and what its visitor sees, or without, for a reason. The reason is
// empty if the configuration does not track the page.
type passage struct {
	code   *snippet.Code
	visit  page.Visit
	reason string
}

func (b *Block) passage(r *http.Request, q *effect.Request) passage {
	f, withheld := q.Effect, b.withheld(q)
	if f != nil && withheld == "" && b.isLimited(r.Context(), q) {
		return passage{reason: limited}
	}
	if f == nil || withheld != "" && !f.Prerenders() { // numbers of a site that the configuration names need no database
		return passage{reason: withheld}
	}
	p := passage{code: f.Code}
	samples := b.edge.sampling
	now := samples.now()
	if !b.Guard("choosing numbers", func() {
		p.visit = f.Visit(r, q, now)
		b.edge.ask(q, &p.visit, r)
		if q.Preview != nil {
			p.visit = f.Previewed(p.visit, q.Preview)
		}
	}) { // the page then keeps its printed numbers
		p.visit = page.Visit{ByCookie: true}
	}
	p.visit.VaryBy = f.Consent.Refusals
	p.visit.Withheld = page.Outcome(withheld)
	p.visit.Sample = samples.sampler(b.Effects, r, q, p.visit.Purpose, now)
	p.visit.Timed = b.edge.pages.Add(1)%timedPages == 1
	return p
}

// isLimited says whether the site has used up the page views of the day or the room for its data: its pages pass as if nothing were in front of them.
func (b *Block) isLimited(ctx context.Context, q *effect.Request) bool {
	desk, done, err := b.Service.Use()
	if err != nil {
		return false
	}
	defer done()
	return desk.Limits.Reached(ctx, q.Site.ID, limit.Views) || desk.Limits.Reached(ctx, q.Site.ID, limit.Disk)
}

// withheld says why a page gets no code of a service, or "".
func (b *Block) withheld(q *effect.Request) string {
	switch err := q.Err; {
	case err == nil:
		return ""
	case errors.Is(err, effect.ErrSettings):
		b.Logger.Error("the settings of a site cannot be put into effect", zap.String("site", q.Key), zap.Error(err))
		return string(page.Failed)
	case errors.Is(err, site.ErrSuspended):
		return suspended
	case errors.Is(err, site.ErrRetired):
		return retired
	case errors.Is(err, site.ErrUnknown):
		return unknownSite
	case errors.Is(err, backend.ErrNotReady):
		return notReady
	case !errors.Is(err, context.Canceled):
		b.Logger.Debug("looking up a site failed", zap.Error(q.Err))
	}
	return lookup
}
