package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// failure is what a client is told. It never repeats what the client sent.
type failure struct {
	status int
	code   string
	reason string
	// retryAfter is in seconds; 0 for no advice.
	retryAfter int
}

func (f *failure) Error() string { return f.reason }

func fail(status int, code, format string, args ...any) *failure {
	return &failure{status: status, code: code, reason: fmt.Sprintf(format, args...)}
}

// malformed is the failure of a request that cannot be read.
func malformed(code, format string, args ...any) *failure {
	return fail(http.StatusBadRequest, code, format, args...)
}

// business tells whether the failure is the sender's mistake about the content,
// and not about the way of sending it.
func (f *failure) business() bool {
	return f.status == http.StatusBadRequest || f.status == http.StatusForbidden || f.status == http.StatusNotFound
}

// failureOf is the failure for an error of a subject. What is nobody's mistake
// is logged here, and the client learns no more than that.
func (a *API) failureOf(c *call, route string, err error) *failure {
	var told *failure
	var refused submission.Invalid
	var unsaid chat.Invalid
	switch {
	case errors.As(err, &told):
		return told
	case errors.As(err, &refused):
		return malformed(refused.Code, "%s", refused.Reason)
	case errors.As(err, &unsaid):
		return malformed(unsaid.Code, "%s", unsaid.Reason)
	case errors.Is(err, chat.ErrBanned):
		return fail(http.StatusForbidden, "banned", "%s", chat.ErrBanned)
	case errors.Is(err, chat.ErrNoMail), errors.Is(err, chat.ErrNoAnswer):
		return fail(http.StatusConflict, "no_transcript", "%s", err)
	case errors.Is(err, chat.ErrUnknown):
		return fail(http.StatusNotFound, "unknown_conversation", "%s", chat.ErrUnknown)
	case errors.Is(err, visit.ErrForeign): // the visitor has been erased meanwhile
		return foreignIDs()
	case errors.Is(err, visit.ErrNothing):
		return malformed("empty", "nothing is filled: name, email or phone is needed")
	case errors.Is(err, visit.ErrTooMany):
		return malformed("too_many", "the visitor has as many of these as are kept")
	}
	// An outage fails every request: one line a second says it.
	a.outage.Do(func() {
		a.logger.Error("request could not be served", zap.String("site", c.site.Key), zap.String("route", route), zap.Error(err))
	})
	f := fail(http.StatusServiceUnavailable, "unavailable", "the service cannot store anything at the moment")
	f.retryAfter = 2
	return f
}

// failed is the answer to a request that failed.
type failed struct {
	Success bool    `json:"success"`
	Error   string  `json:"error"`
	Code    string  `json:"code"`
	Result  *result `json:"result,omitempty"`
}

// result is the result object of addOfflineRequest (browser interface, 2.7).
type result struct {
	Code string `json:"code"`
}

// succeeded is the answer to a request that has nothing else to tell.
type succeeded struct {
	Success bool `json:"success"`
}

func (c *call) fail(route *Route, f *failure) {
	body := failed{Error: f.reason, Code: f.code}
	if route.result {
		body.Result = &result{Code: f.code}
	}
	if f.retryAfter > 0 {
		c.w.Header().Set("Retry-After", strconv.Itoa(f.retryAfter))
	}
	c.answer(f.status, body)
}

func (c *call) answer(status int, body any) {
	content, err := json.Marshal(body)
	if err != nil { // no answer holds what cannot be written
		panic(fmt.Sprintf("writing an answer: %v", err))
	}
	header := c.w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(content)))
	c.w.WriteHeader(status)
	c.w.Write(content)
}

// send answers with a file.
func (c *call) send(f file) {
	header := c.w.Header()
	header.Set("Content-Type", f.kind)
	header.Set("Content-Length", strconv.Itoa(len(f.content)))
	c.w.Write(f.content)
}

// allowed tells whether the route takes the method.
func (c *call) allowed(route *Route) *failure {
	if slices.Contains(route.methods, c.r.Method) {
		return nil
	}
	allow := strings.Join(route.methods, ", ")
	c.w.Header().Set("Allow", allow+", OPTIONS")
	return fail(http.StatusMethodNotAllowed, "method_not_allowed", "this address takes %s", allow)
}

// Fail answers in the form that all failures under the prefix have. The code is for
// programs, the words are for people.
func Fail(w http.ResponseWriter, status int, code, words string) {
	notToBeKept(w.Header())
	(&call{w: w}).fail(new(Route), fail(status, code, "%s", words))
}

// notToBeKept is said of each answer under the prefix.
func notToBeKept(h http.Header) {
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
