package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"
)

// Failure is what a client is told. It never repeats what the client sent.
type Failure struct {
	Status int
	// Code is for programs, and Reason for people.
	Code, Reason string
	// RetryAfter is in seconds; 0 for no advice.
	RetryAfter int
}

func (f *Failure) Error() string { return f.Reason }

// NewFailure returns a failure with the reason that is formatted.
func NewFailure(status int, code, format string, args ...any) *Failure {
	return &Failure{Status: status, Code: code, Reason: fmt.Sprintf(format, args...)}
}

// Malformed is the failure of a request that cannot be read.
func Malformed(code, format string, args ...any) *Failure {
	return NewFailure(http.StatusBadRequest, code, format, args...)
}

// TooMany is the failure of a client that has to wait.
func TooMany(words string, wait time.Duration) *Failure {
	f := NewFailure(http.StatusTooManyRequests, "too_many_requests", "%s", words)
	f.RetryAfter = int((wait + time.Second - 1) / time.Second)
	return f
}

// business tells whether the failure is the sender's mistake about the content,
// and not about the way of sending it.
func (f *Failure) business() bool {
	return f.Status == http.StatusBadRequest || f.Status == http.StatusForbidden || f.Status == http.StatusNotFound
}

// failureOf is the failure for an error of a route. What is nobody's mistake
// is logged here, and the client learns no more than that.
func (g *Gate) failureOf(r *Request, route *Route, err error) *Failure {
	if f, is := errors.AsType[*Failure](err); is {
		return f
	}
	if f := g.explain(err); f != nil {
		return f
	}
	// An outage fails every request: one line a second says it.
	g.outage.Do(func() {
		g.logger.Error("request could not be served", zap.String("site", r.Site.Key), zap.String("route", route.Path), zap.Error(err))
	})
	f := NewFailure(http.StatusServiceUnavailable, "unavailable", "the service cannot store anything at the moment")
	f.RetryAfter = 2
	return f
}

// failed is the answer to a request that failed.
type failed struct {
	Success bool    `json:"success"`
	Error   string  `json:"error"`
	Code    string  `json:"code"`
	Result  *Result `json:"result,omitempty"`
}

// Result is the result object of addOfflineRequest (browser interface, 2.7).
type Result struct {
	Code string `json:"code"`
}

// Succeeded is the answer to a request that has nothing else to tell.
type Succeeded struct {
	Success bool `json:"success"`
}

// File is an answer that is not JSON.
type File struct {
	Type    string // of the content
	Content []byte
}

// fail answers with the failure. withResult has it carry the result object of addOfflineRequest.
func (r *Request) fail(f *Failure, withResult bool) {
	body := failed{Error: f.Reason, Code: f.Code}
	if withResult {
		body.Result = &Result{Code: f.Code}
	}
	if f.RetryAfter > 0 {
		r.W.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	r.write(f.Status, body)
}

func (r *Request) answer(a any) {
	f, is := a.(File)
	if !is {
		r.write(http.StatusOK, a)
		return
	}
	header := r.W.Header()
	header.Set("Content-Type", f.Type)
	header.Set("Content-Length", strconv.Itoa(len(f.Content)))
	r.W.Write(f.Content)
}

func (r *Request) write(status int, body any) {
	content, err := json.Marshal(body)
	if err != nil { // no answer holds what cannot be written
		panic(fmt.Sprintf("writing an answer: %v", err))
	}
	header := r.W.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(content)))
	r.W.WriteHeader(status)
	r.W.Write(content)
}

// Allowed refuses methods other than these.
func (r *Request) Allowed(methods []string) *Failure {
	if slices.Contains(methods, r.Method) {
		return nil
	}
	allow := strings.Join(methods, ", ")
	r.W.Header().Set("Allow", allow+", OPTIONS")
	return NewFailure(http.StatusMethodNotAllowed, "method_not_allowed", "this address takes %s", allow)
}

// Fail answers in the form that all failures under the prefix have. The code is for
// programs, the words are for people.
func Fail(w http.ResponseWriter, status int, code, words string) {
	FailWith(w, NewFailure(status, code, "%s", words))
}

// FailWith is [Fail] with a failure.
func FailWith(w http.ResponseWriter, f *Failure) {
	NotToBeKept(w.Header())
	(&Request{W: w}).fail(f, false)
}

// NotToBeKept is said of each answer under the prefix.
func NotToBeKept(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// Unavailable answers while the database cannot be reached.
func Unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "5")
	Fail(w, http.StatusServiceUnavailable, "unavailable", "the service cannot reach its database at the moment; repeat the call later")
}

// Unknown answers at an address at which there is nothing.
func Unknown(w http.ResponseWriter) {
	Fail(w, http.StatusNotFound, "unknown_route", "there is nothing at this address")
}
