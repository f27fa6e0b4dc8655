// Package frame is what stands around every operation of the public API: who may call it, how it is described, how
// mistakes are told, and the pages of lists.
package frame

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/backend/open/once"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Path is where the API is.
const Path = "/api/v1/"

const (
	// callTime bounds the work for one call, except for a stream.
	callTime = 10 * time.Second
	// maxAddress is how many bytes the path and the query of a call have at most.
	maxAddress = 8 << 10
	// maxBody is how many bytes the body of a call has at most.
	maxBody int64 = 256 << 10
	// fileTime bounds how long a file takes to arrive.
	fileTime = time.Minute
)

// Subjects are what the frame itself asks.
type Subjects struct {
	Tokens  *token.Tokens
	Sites   *site.Sites
	Answers *once.Answers
	Now     func() time.Time
	Logger  *zap.Logger
}

// Frame has the operations of the API. [Add] adds one.
type Frame struct {
	Subjects
	huma   huma.API
	limits *limits
	mux    *http.ServeMux
}

// New returns a frame without operations.
func New(s Subjects, description string) *Frame {
	f := &Frame{Subjects: s, limits: newLimits(s.Now), mux: http.NewServeMux()}
	config := huma.DefaultConfig("Frontdesk", "1")
	config.Info.Description = description
	config.OpenAPIPath, config.DocsPath, config.SchemasPath, config.CreateHooks = Path+"openapi", "", "", nil
	config.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}
	config.RejectUnknownQueryParameters = true
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		scheme: {Type: "http", Scheme: "bearer", Description: "A token that an admin has made."},
	}
	f.huma = humago.New(f.mux, config)
	f.huma.UseMiddleware(f.admit)
	return f
}

// Document is the description of the API, OpenAPI 3.1.
func (f *Frame) Document() *huma.OpenAPI { return f.huma.OpenAPI() }

// Page adds what is served at the pattern, behind [Path], without a token.
func (f *Frame) Page(pattern string, h http.Handler) { f.mux.Handle("GET "+Path+pattern, h) }

// ServeHTTP answers a call under [Path].
func (f *Frame) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	if _, pattern := f.mux.Handler(r); pattern == "" {
		f.unknown(w, r)
		return
	}
	r.Body = intake.Body(r)
	f.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), hostKey{}, hostOf(r))))
}

type hostKey struct{}

// hostOf is the address of the console's host as the caller knows it, without a slash at its end.
func hostOf(r *http.Request) string {
	if r.TLS != nil || r.URL.Scheme == "https" {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// Absolute is the address of the console's page, to hand on to somebody else.
func Absolute(ctx context.Context, page string) string {
	host, _ := ctx.Value(hostKey{}).(string)
	return host + page
}

// methods are those that operations have.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// unknown answers where there is no operation: at an address that takes other methods, or at none.
func (f *Frame) unknown(w http.ResponseWriter, r *http.Request) {
	var taken []string
	for _, method := range methods {
		other := r.WithContext(r.Context())
		other.Method = method
		if _, pattern := f.mux.Handler(other); pattern != "" {
			taken = append(taken, method)
		}
	}
	if len(taken) == 0 {
		fail(w, http.StatusNotFound, "there is nothing at this address")
		return
	}
	w.Header().Set("Allow", strings.Join(taken, ", "))
	fail(w, http.StatusMethodNotAllowed, "this address does not take that method")
}

// shareWithOrigins lets pages of any origin read the answer, as they have sent a token (Fetch, section 3.2).
func shareWithOrigins(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") == "" {
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	if r.Method != http.MethodOptions {
		h.Set("Access-Control-Expose-Headers", "Content-Disposition, ETag, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, "+replayedField)
		return
	}
	h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, Last-Event-ID, "+keyField)
	h.Set("Access-Control-Max-Age", "7200")
}

// fail answers where there is no operation, as all failures are told (RFC 9457).
func fail(w http.ResponseWriter, status int, words string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(&huma.ErrorModel{Title: http.StatusText(status), Status: status, Detail: words})
}

// ServeAway answers a call while the database cannot be reached.
func ServeAway(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "5")
	fail(w, http.StatusServiceUnavailable, "the service cannot reach its database at the moment; repeat the call later")
}

// bounded is the context of the work for a call.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, callTime)
}
