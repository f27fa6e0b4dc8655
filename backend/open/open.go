// Package open is the public API: what programs read of the service as JSON, under [Path] on the console's host. The
// types that answer are those of its description, an OpenAPI document.
package open

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Path is where the API is.
const Path = "/api/v1/"

const (
	// callTime bounds the work for one call.
	callTime = 10 * time.Second
	// maxAddress is how many bytes the path and the query of a call have at most.
	maxAddress = 8 << 10
)

// Subjects are what the API tells of.
type Subjects struct {
	Tokens *token.Tokens
	Sites  *site.Sites
	Leads  *lead.Leads
	Inbox  *inbox.Inbox
}

// API answers programs.
type API struct {
	Subjects
	huma   huma.API
	limits *limits
	logger *zap.Logger
	mux    *http.ServeMux
}

// New returns the API of its subjects.
func New(s Subjects, now func() time.Time, logger *zap.Logger) *API {
	mux := http.NewServeMux()
	a := &API{Subjects: s, limits: newLimits(now), logger: logger, mux: mux}
	config := huma.DefaultConfig("Frontdesk", "1")
	config.Info.Description = "What a program may read of Frontdesk. Times are in RFC 3339, addresses of sites are their keys."
	config.OpenAPIPath, config.DocsPath, config.SchemasPath, config.CreateHooks = Path+"openapi", "", "", nil
	config.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}
	config.RejectUnknownQueryParameters = true
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		scheme: {Type: "http", Scheme: "bearer", Description: "A token that an admin has made."},
	}
	a.huma = humago.New(mux, config)
	a.huma.UseMiddleware(a.admit)
	a.mountSites()
	a.mountLeads()
	return a
}

// Document is the description of the API, OpenAPI 3.1.
func (a *API) Document() *huma.OpenAPI { return a.huma.OpenAPI() }

// ServeHTTP answers a call under [Path].
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Header.Get("Authorization") != "" || r.Method == http.MethodOptions { // a session of the console is no use to other origins
		shareWithOrigins(w, r)
	}
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if len(r.URL.Path)+len(r.URL.RawQuery) > maxAddress {
		fail(w, http.StatusRequestURITooLong, "the address is too long")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), callTime)
	defer cancel()
	r = r.WithContext(ctx)
	if _, pattern := a.mux.Handler(r); pattern == "" {
		a.unknown(w, r)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// unknown answers where there is no operation: at an address that takes another method, or at none.
func (a *API) unknown(w http.ResponseWriter, r *http.Request) {
	get := r.WithContext(r.Context())
	get.Method = http.MethodGet // all operations so far
	if _, pattern := a.mux.Handler(get); pattern != "" {
		w.Header().Set("Allow", http.MethodGet)
		fail(w, http.StatusMethodNotAllowed, "this address does not take that method")
		return
	}
	fail(w, http.StatusNotFound, "there is nothing at this address")
}

// shareWithOrigins lets pages of any origin read the answer, as they have sent a token (Fetch, section 3.2).
func shareWithOrigins(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") == "" {
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	if r.Method != http.MethodOptions {
		h.Set("Access-Control-Expose-Headers", "RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate")
		return
	}
	h.Set("Access-Control-Allow-Methods", "GET")
	h.Set("Access-Control-Allow-Headers", "Authorization")
	h.Set("Access-Control-Max-Age", "7200")
}

// operation is what is said of each operation that the token of the scope opens. Its answers to mistakes are the same
// for all.
func operation(path, id, summary, description string, opens token.Scope) huma.Operation {
	return huma.Operation{
		Method: http.MethodGet, Path: Path + path, OperationID: id, Summary: summary, Description: description,
		Security: []map[string][]string{{scheme: {string(opens)}}},
		Errors: []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
			http.StatusRequestURITooLong, http.StatusTooManyRequests, http.StatusServiceUnavailable},
	}
}
