package edge

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/api/tracker"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/edge/effect"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// Arrival says which part of its visit a page was sent with.
type Arrival string

// The arrivals. Unless it is Whole, the script asks for the missing parts.
const (
	Whole      Arrival = "whole"      // the credentials and the numbers
	Numberless Arrival = "numberless" // the credentials; the numbers were not known in time
	Late       Arrival = "late"       // the database had not stored the visit in time
	Stranger   Arrival = "stranger"   // nobody who is known to be a visitor
)

// Arrivals are all arrivals.
var Arrivals = []Arrival{Whole, Numberless, Late, Stranger}

// maxArriving bounds how many visits are stored for pages at once. While the database hangs, further pages do not wait
// for it.
const maxArriving = 256

// ask makes the answer to a request wait for the database, if the visitor has agreed and may look at the page. A page
// waits for its visit, and a part of a page for the visitor's numbers. If only forms need the visit, which browsers
// without scripts may send, ask asks only for the visit of a visitor's first page.
func (e *Edge) ask(q *effect.Request, beside *page.Visit, r *http.Request) {
	f := q.Effect
	arrives, part := beside.Purpose == page.ForDocument, beside.Purpose == page.ForPart || beside.Purpose == page.ForFrame
	dynamic := f.Prerender == effect.PrerenderDynamic && f.HasTracking()
	asks := arrives && dynamic || part && dynamic && hasVisitor(r.Header) ||
		arrives && len(f.Captures) > 0 && !hasVisitor(r.Header)
	if !asks || f.Of.Settings.Elsewhere() != nil || effect.IsPrefetch(r.Header) || !f.Consent.Given(r.Header) {
		return
	}
	asked := q.AsSent(r)
	asked.Header = r.Header.Clone() // the service hides its cookies from the origin
	if arrives {
		beside.Arrive = func() (a snippet.Arrival) {
			e.Guard("waiting for a visit", func() {
				var outcome Arrival
				a, outcome = e.arrive(q, asked)
				e.Observer.Arrived(outcome)
			})
			return a
		}
		return
	}
	beside.Recall = func() (shown snippet.Shown, known bool) {
		e.Guard("waiting for a visitor", func() { shown, known = e.recall(q, asked) })
		return shown, known
	}
}

// hasVisitor says whether a request has a visitor's cookie. It does not check the cookie.
func hasVisitor(h http.Header) bool {
	for range view.VisitorCookie.Values(h, false) {
		return true
	}
	return false
}

// apart runs work in a goroutine. A connection to the database that hangs does not notice that its context has ended,
// so the caller must not wait for it. apart returns false if the database cannot be asked now.
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
		e.Guard("asking for a visit", func() { work(desk) })
	})
	return true
}

// inTime returns a context that bounds how long the answer to a request waits for the database.
func (e *Edge) inTime(asked *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(asked.Context(), cmp.Or(e.patience, effect.SiteBudget))
}

// arriving receives the parts of a visit as they become known. A closed channel means that a part is not known.
type arriving struct {
	served chan tracker.Served
	shown  chan snippet.Shown
}

// arrive stores the visit of a page and finds its numbers. It waits for at most 50 ms. The script asks for the rest. It
// names the view, since the database may store the visit later.
func (e *Edge) arrive(q *effect.Request, asked *http.Request) (a snippet.Arrival, outcome Arrival) {
	ctx, cancel := e.inTime(asked)
	defer cancel()
	id := rand.Text()
	found := arriving{make(chan tracker.Served, 1), make(chan snippet.Shown, 1)}
	if !e.apart(func(desk *backend.Desk) {
		defer close(found.shown)
		defer close(found.served)
		e.storeVisit(ctx, desk, q, asked, id, found)
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
		Visitor: int64(served.Stored.Visitor), View: int64(served.Stored.View), Visit: int64(served.Stored.Visit),
	}}
	if q.Effect.Prerender != effect.PrerenderDynamic {
		return a, Whole
	}
	shown, known := receive(ctx, found.shown)
	if !known {
		return a, Numberless
	}
	a.Shown = &shown
	return a, Whole
}

// recall returns the numbers that the visitor sees now. It waits as long as arrive does.
func (e *Edge) recall(q *effect.Request, asked *http.Request) (snippet.Shown, bool) {
	ctx, cancel := e.inTime(asked)
	defer cancel()
	found := make(chan snippet.Shown, 1)
	if !e.apart(func(desk *backend.Desk) {
		defer close(found)
		visitor, address := desk.API.Tracker.Whose(asked, q.Served(desk, asked))
		if visitor == 0 {
			return
		}
		shown, err := q.Effect.ShownNow(ctx, desk, visitor, address)
		if err != nil {
			e.Logger.Debug("finding the numbers of a visitor failed", zap.String("site", q.Key), zap.Error(err))
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

// storeVisit stores the visit and finds the numbers, as a call of the script does.
func (e *Edge) storeVisit(ctx context.Context, desk *backend.Desk, q *effect.Request, asked *http.Request, id string, found arriving) {
	f := q.Effect
	served, err := desk.API.Tracker.ServePage(ctx, asked, q.Served(desk, asked), id)
	if err == nil {
		found.served <- served
		if served.View == "" || f.Prerender != effect.PrerenderDynamic {
			return
		}
		var shown snippet.Shown
		if shown, err = f.ShownOf(ctx, desk, asked, served.Stored, served.First); err == nil {
			found.shown <- shown
		}
	}
	if err != nil {
		e.Logger.Debug("storing the visit of a page failed", zap.String("site", q.Key), zap.Error(err))
	}
}
