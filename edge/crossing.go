package edge

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

// crossingParameter is the parameter of an address by which a link brings a visitor from another host of the site.
// snippet/browser/crossing.ts writes it.
const crossingParameter = "svc_crossing="

// turnCrossing takes a visitor over from another host of the site if the request's URL says so, and redirects the browser
// to the URL without the parameter. So neither the origin, nor caches, nor the site's own code see it. A service
// elsewhere has the visitors: then the script takes the parameter away.
func (b *Block) turnCrossing(w http.ResponseWriter, r *http.Request, q *effect.Request) (answered bool) {
	token, rest, found := cutParameter(q.URL.RawQuery, crossingParameter)
	if !found || r.Method != http.MethodGet || q.Effect == nil || q.Effect.Of.Settings.Elsewhere() != nil {
		return false
	}
	b.Guard("taking a visitor over", func() {
		for _, cookie := range b.edge.cross(q, r, token) {
			w.Header().Add("Set-Cookie", cookie)
		}
	})
	redirect(w, q, rest)
	return true
}

// cross returns the cookies of the visitor whom the token brings. It waits for at most 50 ms.
func (e *Edge) cross(q *effect.Request, r *http.Request, token string) (setCookies []string) {
	if effect.IsPrefetch(r.Header) || !q.Effect.Consent.Given(r.Header) {
		return nil
	}
	asked := q.AsSent(r)
	asked.Header = r.Header.Clone() // it may be read when the request is over
	ctx, cancel := e.inTime(asked)
	defer cancel()
	found := make(chan []string, 1)
	if e.apart(func(desk *backend.Desk) {
		defer close(found)
		if visitor, setCookie := desk.API.Tracker.Cross(ctx, asked, q.Served(desk, asked), token); visitor != 0 {
			found <- append(q.Effect.RecalledCookies(ctx, desk.Visits, visitor, asked, q, e.sampling.now()), setCookie)
		}
	}) {
		setCookies, _ = receive(ctx, found)
	}
	return setCookies
}
