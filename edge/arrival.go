package edge

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// Arrival says how much of its visit a page was sent with.
type Arrival string

// The arrivals. After the first, the script asks for what is missing.
const (
	Whole      Arrival = "whole"      // the credentials and the numbers
	Numberless Arrival = "numberless" // the credentials: the numbers were not known in time
	Late       Arrival = "late"       // the database had not stored the visit in time
	Stranger   Arrival = "stranger"   // nobody of whom it is known that he is a visitor
)

// Arrivals are all of them.
var Arrivals = []Arrival{Whole, Numberless, Late, Stranger}

// maxArriving bounds how many visits are stored for pages at once. While the database hangs,
// further pages do not wait for it.
const maxArriving = 256

// ask has the answer to a request for a page ask for its visit, or that to a request for a part
// of one for the visitor's numbers, where the visitor has agreed and somebody may look at it. Where
// forms are kept, which may come from browsers without scripts, the visit of the first page alone is asked for.
func (f *effect) ask(beside *snippet.Visit, s site.Site, r *http.Request, q *Request) {
	arrives, part := beside.Purpose == snippet.ForDocument, beside.Purpose == snippet.ForPart || beside.Purpose == snippet.ForFrame
	dynamic := f.prerender == prerenderDynamic && f.hasTracking()
	asks := arrives && dynamic || part && dynamic && hasVisitor(r.Header) ||
		arrives && len(f.captures) > 0 && !hasVisitor(r.Header)
	if !asks || f.block.settings.remote != nil || isPrefetch(r.Header) || !f.consent.Given(r.Header) {
		return
	}
	e, asked := f.block.edge, q.AsSent(r)
	asked.Header = r.Header.Clone() // the origin does not see our cookies
	if arrives {
		beside.Arrive = func() (a snippet.Arrival) {
			e.guard("waiting for a visit", func() {
				var outcome Arrival
				a, outcome = f.arrive(s, asked)
				e.Observer.Arrived(outcome)
			})
			return a
		}
		return
	}
	beside.Recall = func() (shown snippet.Shown, known bool) {
		e.guard("waiting for a visitor", func() { shown, known = f.recall(s, asked) })
		return shown, known
	}
}

// hasVisitor tells whether a request has the visitor's cookie, be it genuine or not.
func hasVisitor(h http.Header) bool {
	for range api.VisitorCookie.Values(h) {
		return true
	}
	return false
}

// apart does what waits for the database, in a goroutine of its own: a connection that hangs does
// not hear that nobody waits any more. It returns false where the database cannot be asked now.
func (e *Edge) apart(work func(*backend.Desk)) bool {
	desk, done, err := e.Service.Use()
	if err != nil {
		return false
	}
	if e.arriving.Add(1) > maxArriving {
		e.arriving.Add(-1)
		done()
		return false
	}
	aside.Go(e.Logger, "asking for a visit", func() {
		defer done()
		defer e.arriving.Add(-1)
		e.guard("asking for a visit", func() { work(desk) })
	})
	return true
}

// inTime bounds how long the answer to a request waits for the database.
func (e *Edge) inTime(asked *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(asked.Context(), cmp.Or(e.patience, siteBudget))
}

// arriving is what becomes known of a visit, bit by bit. A channel that is closed has nothing.
type arriving struct {
	served chan api.Served
	shown  chan snippet.Shown
}

// arrive waits for the database for 50 ms at most. The script asks for what is not known
// by then: it names the view, which may have been stored after all.
func (f *effect) arrive(s site.Site, asked *http.Request) (a snippet.Arrival, outcome Arrival) {
	e := f.block.edge
	ctx, cancel := e.inTime(asked)
	defer cancel()
	id := rand.Text()
	found := arriving{make(chan api.Served, 1), make(chan snippet.Shown, 1)}
	if !e.apart(func(desk *backend.Desk) {
		defer close(found.shown)
		defer close(found.served)
		f.store(ctx, desk, f.site(s, desk, asked), asked, id, found)
	}) {
		return a, Late
	}
	served, stored := receive(ctx, found.served)
	switch {
	case !stored:
		a.View = id
		return a, Late
	case served.View == "":
		a.SetCookie = served.SetCookie
		return a, Stranger
	}
	a = snippet.Arrival{View: id, SetCookie: served.SetCookie, Credentials: &snippet.Credentials{
		SiteKey: served.SiteKey, Key: served.Key, URI: served.URI,
		Visitor: int64(served.Hit.Visitor), Hit: int64(served.Hit.Hit), Session: int64(served.Hit.Session),
	}}
	if f.prerender != prerenderDynamic {
		return a, Whole
	}
	shown, known := receive(ctx, found.shown)
	if !known {
		return a, Numberless
	}
	a.Shown = &shown
	return a, Whole
}

// recall is what the visitor is shown now.
func (f *effect) recall(s site.Site, asked *http.Request) (snippet.Shown, bool) {
	e := f.block.edge
	ctx, cancel := e.inTime(asked)
	defer cancel()
	found := make(chan snippet.Shown, 1)
	if !e.apart(func(desk *backend.Desk) {
		defer close(found)
		visitor, address := desk.API.Whose(asked, f.site(s, desk, asked))
		if visitor == 0 {
			return
		}
		shown, err := f.shownNow(ctx, desk, visitor, address)
		if err != nil {
			e.Logger.Debug("finding the numbers of a visitor failed", zap.String("site", s.Key), zap.Error(err))
			return
		}
		found <- shown
	}) {
		return snippet.Shown{}, false
	}
	return receive(ctx, found)
}

func receive[T any](ctx context.Context, from <-chan T) (value T, ok bool) {
	select {
	case value, ok = <-from:
	case <-ctx.Done():
	}
	return value, ok
}

// store stores the visit and finds the numbers, as the answer to the script does.
func (f *effect) store(ctx context.Context, desk *backend.Desk, of api.Site, asked *http.Request, id string, found arriving) {
	served, err := desk.API.ServePage(ctx, asked, of, id)
	if err == nil {
		found.served <- served
		if served.View == "" || f.prerender != prerenderDynamic {
			return
		}
		var shown snippet.Shown
		if shown, err = f.shownOf(ctx, desk, asked.Header, served.Hit, served.First); err == nil {
			found.shown <- shown
		}
	}
	if err != nil {
		f.block.edge.Logger.Debug("storing the visit of a page failed", zap.String("site", of.Key), zap.Error(err))
	}
}
