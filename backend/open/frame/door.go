package frame

import (
	"context"
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

// dearAtOnce is how many dear calls of a token are on their way.
const dearAtOnce = 2

// limits bound how often each token is used. They are safe for concurrent use.
type limits struct {
	now   func() time.Time
	mu    sync.Mutex
	calls *pace.Limit   // by token
	dear  map[int64]int // calls on their way, by token
}

func newLimits(now func() time.Time) *limits {
	return &limits{now: now, calls: pace.New(callBurst, callEvery, token.Max), dear: make(map[int64]int)}
}

// enter lets a dear call of the token begin, unless there are too many. It calls leave when it has ended.
func (l *limits) enter(id int64) (leave func(), entered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dear[id] >= dearAtOnce {
		return nil, false
	}
	l.dear[id]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.dear[id]--; l.dear[id] == 0 {
			delete(l.dear, id)
		}
	}, true
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

// caller is who makes a call: what is known of the token, and the token itself.
type caller struct {
	token.Token
	secret string
}

type callerKey struct{}

// Caller is the token of the call.
func Caller(ctx context.Context) token.Token { return callerOf(ctx).Token }

func callerOf(ctx context.Context) caller {
	of, _ := ctx.Value(callerKey{}).(caller)
	return of
}

// admit lets a call to its operation if its token opens it. A session of the console opens nothing. A token that there
// is not costs a look at an index: nobody can guess one, and a program with an old one keeps no other program of its
// network waiting.
func (f *Frame) admit(c huma.Context, next func(huma.Context)) {
	refuse := func(status int, words string) { _ = huma.WriteErr(f.huma, c, status, words) }
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
	of, err := f.Tokens.Open(c.Context(), secret)
	switch {
	case errors.Is(err, token.ErrUnknown), errors.Is(err, token.ErrEnded):
		c.SetHeader("WWW-Authenticate", `Bearer error="invalid_token"`) // RFC 6750, section 3.1
		refuse(http.StatusUnauthorized, err.Error())
		return
	case err != nil:
		f.Logger.Error("a token could not be looked up", zap.Error(err))
		c.SetHeader("Retry-After", "5")
		refuse(http.StatusServiceUnavailable, "the service cannot reach its database at the moment")
		return
	}
	left, full, rest := f.limits.take(of.ID)
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
	next(huma.WithValue(c, callerKey{}, caller{of, secret}))
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
