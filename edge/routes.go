package edge

import (
	"errors"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/edge/effect"
	"github.com/seed-3405227d/frontdesk/edge/relay"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// Patterns returns the patterns of all routes under the prefix, for [http.ServeMux]. The prefix has slashes at both
// ends.
func Patterns(prefix string) []string {
	var all patterns
	new(Edge).mount(&all, prefix)
	return all
}

type patterns []string

func (p *patterns) HandleFunc(pattern string, _ func(http.ResponseWriter, *http.Request)) {
	*p = append(*p, pattern)
}

// mount adds the routes under the prefix if the service is here. Blocks share them: handlers find the block in the
// request.
func (e *Edge) mount(mux api.Routes, prefix string) {
	mux.HandleFunc(prefix, func(w http.ResponseWriter, _ *http.Request) { gate.Unknown(w) })
	mux.HandleFunc(prefix+"svc.js", fetched(e.serveScript))
	mux.HandleFunc(prefix+"assets/", fetched(snippet.Assets().ServeHTTP))
	mux.HandleFunc(prefix+"phone/{name}", fetched(servePicture))
	// A report about a call belongs to the site whose number was called, even if the platform uses the address of
	// another site.
	mux.HandleFunc(prefix+"calls/{route...}", func(w http.ResponseWriter, r *http.Request) { e.Platforms.Serve(w, r, r.PathValue("route")) })
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
	e.mounted[prefix] = mux
	return mux
}

// mountRelay adds the routes under the block's prefix if the service is elsewhere.
func (b *Block) mountRelay(mux api.Routes) {
	prefix, service := b.Settings.Prefix, relay.New(b.Effects)
	mux.HandleFunc(prefix, func(w http.ResponseWriter, _ *http.Request) { gate.Unknown(w) })
	for _, route := range relay.RelayedRoutes {
		mux.HandleFunc(prefix+route, service.ServeHTTP)
	}
	// This program serves its own assets, since the service elsewhere may have another version.
	mux.HandleFunc(prefix+"assets/{name}", func(w http.ResponseWriter, r *http.Request) {
		if snippet.Assets().Has(r.PathValue("name")) {
			snippet.Assets().ServeHTTP(w, r)
			return
		}
		service.ServeHTTP(w, r)
	})
}

// serveRoute answers a request under the prefix. If the site is retired, or neither the service nor the configuration
// knows it, the request goes to next.
func (b *Block) serveRoute(w http.ResponseWriter, r *http.Request, q *effect.Request, next effect.Next) error {
	q.Site, q.Err = b.Site(r.Context(), q.Key)
	if q.IsUnknown() {
		if errors.Is(q.Err, site.ErrRetired) || !b.Names(q.Key) {
			return next(w, r)
		}
		q.Site, q.Err = b.Provision(r.Context(), q.Key)
	}
	if !b.Guard("answering", func() { b.answer(w, r, q) }) {
		gate.Fail(w, http.StatusInternalServerError, "internal_error", "something went wrong here; the call may be repeated")
	}
	return nil
}

func (b *Block) answer(w http.ResponseWriter, r *http.Request, q *effect.Request) {
	if b.Find(q, r); q.Effect == nil { // clients can send any number of unknown keys, so these share an effect
		q.Effect = b.Defaults
	}
	r, done := b.edge.Intake.Admit(q.AsSent(r))
	defer done()
	b.routes.ServeHTTP(w, q.Within(r))
}

// fetched returns a handler for GET and HEAD.
func fetched(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			gate.Fail(w, http.StatusMethodNotAllowed, "method_not_allowed", "this address takes GET, HEAD")
			return
		}
		serve(w, r)
	}
}

func (e *Edge) serveScript(w http.ResponseWriter, r *http.Request) {
	q := effect.RequestOf(r)
	if q.Site.ID != 0 {
		if desk, done, err := e.Service.Use(); err == nil {
			desk.Sightings.Note(q.Site.ID, sighting.Script)
			done()
		}
	}
	q.Effect.Script.ServeHTTP(w, r)
}

func servePicture(w http.ResponseWriter, r *http.Request) {
	effect.RequestOf(r).Effect.ServePicture(w, r)
}

// serveCall passes a request to the service's API.
func (e *Edge) serveCall(w http.ResponseWriter, r *http.Request, path string) {
	q := effect.RequestOf(r)
	if q.Err != nil {
		gate.Unavailable(w)
		return
	}
	if r.Method != http.MethodGet && q.Preview != nil {
		gate.Fail(w, http.StatusConflict, "preview", "nothing is counted in a preview")
		return
	}
	desk, done, err := e.Service.Use()
	if err != nil {
		gate.Unavailable(w)
		return
	}
	defer done()
	desk.API.Serve(w, r, q.Served(desk, r), path)
}
