package edge

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/api"
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

// arrival stores the visit of a page when it is called, for the page to be sent with it. It is
// nil where the request begins no visit and goes on none: nobody has agreed, or nobody may look at
// what is asked for.
func (f *effect) arrival(s site.Site, r *http.Request, q *Request, purpose snippet.Purpose) func() snippet.Arrival {
	if !f.meets(r.Header) || purpose != snippet.ForDocument || isPrefetch(r.Header) || !f.consent.given(r.Header) {
		return nil
	}
	asked := q.AsSent(r)
	asked.Header = r.Header.Clone() // the origin does not see our cookies
	return func() (a snippet.Arrival) {
		e := f.block.edge
		e.guard("waiting for a visit", func() {
			var outcome Arrival
			a, outcome = f.arrive(s, asked)
			e.Observer.Arrived(outcome)
		})
		return a
	}
}

// meets tells whether the visits of a request's client are stored as pages are sent: all of them where
// numbers depend on it, and the first page's where forms are kept, which may come from browsers without
// scripts.
func (f *effect) meets(h http.Header) bool {
	if f.prerender == prerenderDynamic && f.hasTracking() {
		return true
	}
	if len(f.block.settings.Captures) == 0 {
		return false
	}
	for range api.VisitorCookie.Values(h) {
		return false
	}
	return true
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
	desk, done, err := e.Service.Use()
	if err != nil {
		return a, Late
	}
	if e.arriving.Add(1) > maxArriving {
		e.arriving.Add(-1)
		done()
		return a, Late
	}
	ctx, cancel := context.WithTimeout(asked.Context(), cmp.Or(e.patience, siteBudget))
	defer cancel()
	id := rand.Text()
	found := arriving{make(chan api.Served, 1), make(chan snippet.Shown, 1)}
	// A goroutine of its own: a connection that hangs does not hear that nobody waits any more.
	go func() {
		defer done()
		defer e.arriving.Add(-1)
		defer close(found.shown)
		defer close(found.served)
		e.guard("storing a visit", func() { f.store(ctx, desk, f.site(s, desk, asked), asked, id, found) })
	}()
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
