package edge

import (
	"context"
	"errors"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// Patterns are those of all routes under the prefix, which has slashes at both ends, as
// [http.ServeMux] reads them.
func Patterns(prefix string) []string {
	var all patterns
	new(Edge).mount(&all, prefix)
	return all
}

type patterns []string

func (p *patterns) HandleFunc(pattern string, _ func(http.ResponseWriter, *http.Request)) {
	*p = append(*p, pattern)
}

// mount adds the routes under the prefix, of a service that is here. Blocks share them: handlers find the block in the
// call.
func (e *Edge) mount(mux api.Routes, prefix string) {
	mux.HandleFunc(prefix, func(w http.ResponseWriter, _ *http.Request) { api.Unknown(w) })
	mux.HandleFunc(prefix+"svc.js", fetched(serveScript))
	mux.HandleFunc(prefix+"assets/", fetched(snippet.Assets().ServeHTTP))
	mux.HandleFunc(prefix+"phone/{name}", fetched(servePicture))
	mux.HandleFunc(prefix+"calls/{route...}", e.serveTelephony)
	api.Mount(mux, prefix, e.serveCall)
}

// routes returns the routes under the prefix.
func (e *Edge) routes(prefix string) *http.ServeMux {
	e.mu.Lock()
	defer e.mu.Unlock()
	if mux := e.mounted[prefix]; mux != nil {
		return mux
	}
	mux := http.NewServeMux()
	e.mount(mux, prefix)
	if e.mounted == nil {
		e.mounted = make(map[string]*http.ServeMux)
	}
	e.mounted[prefix] = mux
	return mux
}

// mountRelay adds the routes under the block's prefix, whose service is elsewhere.
func (b *Block) mountRelay(mux api.Routes) {
	prefix, relay := b.settings.Prefix, newRelay(b)
	mux.HandleFunc(prefix, func(w http.ResponseWriter, _ *http.Request) { api.Unknown(w) })
	for _, route := range relayedRoutes {
		mux.HandleFunc(prefix+route, relay.ServeHTTP)
	}
	// This program serves its own assets, since the service elsewhere may have another version.
	mux.HandleFunc(prefix+"assets/{name}", func(w http.ResponseWriter, r *http.Request) {
		if snippet.Assets().Has(r.PathValue("name")) {
			snippet.Assets().ServeHTTP(w, r)
			return
		}
		relay.ServeHTTP(w, r)
	})
}

// call holds what is known of a request under the prefix, besides the request itself.
type call struct {
	site   site.Site
	err    error // why the service does not know the site now
	effect *effect
}

// callKey is the key of the *call in a request's context.
type callKey struct{}

func callOf(r *http.Request) *call { return r.Context().Value(callKey{}).(*call) }

// serveRoute answers a request under the prefix. If the site is retired, or neither the service nor the configuration
// knows it, the request goes to next.
func (b *Block) serveRoute(w http.ResponseWriter, r *http.Request, q *Request, next Next) error {
	var c call
	c.site, c.err = b.edge.Site(r.Context(), q.Key)
	if errors.Is(c.err, site.ErrUnknown) {
		if errors.Is(c.err, site.ErrRetired) || !b.edge.Names(q.Key) {
			return next(w, r)
		}
		c.site, c.err = b.provision(r.Context(), q.Key)
	}
	if !b.edge.guard("answering", func() { b.answer(w, r, q, &c) }) {
		api.Fail(w, http.StatusInternalServerError, "internal_error", "something went wrong here; the call may be repeated")
	}
	return nil
}

func (b *Block) answer(w http.ResponseWriter, r *http.Request, q *Request, c *call) {
	named := true
	if c.err != nil {
		c.site, named = b.named(q.Key, c.err)
	}
	if c.effect = b.defaults; named { // clients can send any number of unknown keys, so these share an effect
		f, err := b.effectFor(c.site, c.err == nil)
		if err != nil {
			c.err = errors.Join(c.err, err)
		} else {
			c.effect = f
		}
	}
	r, done := b.edge.Intake.Admit(q.AsSent(r))
	defer done()
	b.routes.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
}

// fetched returns a handler for GET and HEAD.
func fetched(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			api.Fail(w, http.StatusMethodNotAllowed, "method_not_allowed", "this address takes GET, HEAD")
			return
		}
		serve(w, r)
	}
}

func serveScript(w http.ResponseWriter, r *http.Request) {
	callOf(r).effect.script.ServeHTTP(w, r)
}

func servePicture(w http.ResponseWriter, r *http.Request) {
	callOf(r).effect.servePicture(w, r)
}

// serveCall passes a call to the service's API.
func (e *Edge) serveCall(w http.ResponseWriter, r *http.Request, route *api.Route) {
	c := callOf(r)
	if c.err != nil {
		api.Unavailable(w)
		return
	}
	if r.Method != http.MethodGet && e.previewing(c.site.ID, r.Header) != nil {
		api.Fail(w, http.StatusConflict, "preview", "nothing is counted in a preview")
		return
	}
	desk, done, err := e.Service.Use()
	if err != nil {
		api.Unavailable(w)
		return
	}
	defer done()
	desk.API.Serve(w, r, c.effect.site(c.site, desk, r), route)
}
