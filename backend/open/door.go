package open

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/pace"
)

// scheme is the name of how calls are authenticated.
const scheme = "token"

// How often one token may be used: callBurst at once, and then one call in callEvery.
const (
	callBurst = 1000
	callEvery = 10 * time.Millisecond
)

// limits bound how often each token is used. They are safe for concurrent use.
type limits struct {
	now   func() time.Time
	mu    sync.Mutex
	calls *pace.Limit // by token
}

func newLimits(now func() time.Time) *limits {
	return &limits{now: now, calls: pace.New(callBurst, callEvery, token.Max)}
}

// take counts a call with the token. left is how many more it has at once, and full after how long it has all.
func (l *limits) take(id int64) (left int, full, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	tally := l.calls.Of(strconv.FormatInt(id, 10))
	wait = pace.Take(l.now(), tally)
	counted := tally.Counted(l.now())
	return max(0, callBurst-counted), time.Duration(counted) * callEvery, wait
}

type callerKey struct{}

// callerOf is the token of the call.
func callerOf(ctx context.Context) token.Token {
	of, _ := ctx.Value(callerKey{}).(token.Token)
	return of
}

// admit lets a call to its operation if its token opens it. A session of the console opens nothing. A token that there
// is not costs a look at an index: nobody can guess one, and a program with an old one keeps no other program of its
// network waiting.
func (a *API) admit(c huma.Context, next func(huma.Context)) {
	refuse := func(status int, words string) { _ = huma.WriteErr(a.huma, c, status, words) }
	secret, isBearer := bearer(c.Header("Authorization"))
	if !isBearer {
		c.SetHeader("WWW-Authenticate", "Bearer")
		words := "expected a token in the field Authorization: Bearer TOKEN"
		if inAddress(c) {
			words = "a token in an address stands in logs: revoke it, and send one in the field Authorization"
		}
		refuse(http.StatusUnauthorized, words)
		return
	}
	of, err := a.Tokens.Open(c.Context(), secret)
	switch {
	case errors.Is(err, token.ErrUnknown), errors.Is(err, token.ErrEnded):
		c.SetHeader("WWW-Authenticate", `Bearer error="invalid_token"`) // RFC 6750, section 3.1
		refuse(http.StatusUnauthorized, err.Error())
		return
	case err != nil:
		a.logger.Error("a token could not be looked up", zap.Error(err))
		c.SetHeader("Retry-After", "5")
		refuse(http.StatusServiceUnavailable, "the service cannot reach its database at the moment")
		return
	}
	left, full, rest := a.limits.take(of.ID)
	// The fields of draft-ietf-httpapi-ratelimit-headers.
	c.SetHeader("RateLimit-Policy", fmt.Sprintf(`"token";q=%d;w=%d`, callBurst, int((callBurst*callEvery).Seconds())))
	c.SetHeader("RateLimit", fmt.Sprintf(`"token";r=%d;t=%s`, left, seconds(full)))
	if rest > 0 {
		c.SetHeader("Retry-After", seconds(rest))
		refuse(http.StatusTooManyRequests, "too many calls with this token")
		return
	}
	if opens := token.Scope(c.Operation().Security[0][scheme][0]); !of.Opens(opens) {
		c.SetHeader("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q`, opens))
		refuse(http.StatusForbidden, "this token does not open "+string(opens))
		return
	}
	next(huma.WithValue(c, callerKey{}, of))
}

// bearer is the token of the field Authorization (RFC 6750, section 2.1).
func bearer(field string) (secret string, is bool) {
	name, secret, found := strings.Cut(field, " ")
	return strings.TrimSpace(secret), found && strings.EqualFold(name, "Bearer")
}

// inAddress tells whether the call has a token in its query.
func inAddress(c huma.Context) bool {
	u := c.URL()
	return strings.Contains(u.RawQuery, token.Prefix)
}

func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

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

// failed is the answer to a call of which the work has failed.
func (a *API) failed(what string, err error) error {
	a.logger.Error(what, zap.Error(err))
	return huma.ErrorWithHeaders(huma.Error503ServiceUnavailable("the service cannot answer at the moment; repeat the call later"),
		http.Header{"Retry-After": {"5"}})
}
