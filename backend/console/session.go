package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// sessionLifetime is how long a sign-in lasts: a working week.
const sessionLifetime = 7 * 24 * time.Hour

// What a session holds.
const (
	sessionOperator = "operator" // int64, the account
	sessionEpoch    = "epoch"    // int64, the account's epoch at sign-in
	sessionSite     = "site"     // int64, the site that lists are narrowed to; 0 for all
	sessionNotice   = "notice"   // string, what the next page says once
)

// sessions are kept by two managers over one store, because a cookie with the
// __Host- prefix, which no other host can set, exists on HTTPS alone.
type sessions struct {
	secure, plain *scs.SessionManager
}

func newSessions(store scs.CtxStore, failed func(http.ResponseWriter, *http.Request, error)) sessions {
	manager := func(cookie string) *scs.SessionManager {
		m := scs.New()
		m.Store = store
		m.HashTokenInStore = true
		m.Lifetime = sessionLifetime
		m.Cookie.Name = cookie
		m.Cookie.SameSite = http.SameSiteLaxMode
		m.ErrorFunc = failed
		return m
	}
	s := sessions{secure: manager("__Host-frontdesk"), plain: manager("frontdesk")}
	s.secure.Cookie.Secure = true
	return s
}

// secure tells whether the client's connection is encrypted, here or by a proxy
// in front.
func secure(r *http.Request) bool { return r.TLS != nil || r.URL.Scheme == "https" }

func (s sessions) of(r *http.Request) *scs.SessionManager {
	if secure(r) {
		return s.secure
	}
	return s.plain
}

// loaded gives the request its session. Files need none.
func (s sessions) loaded(next http.Handler) http.Handler {
	overTLS, plain := s.secure.LoadAndSave(next), s.plain.LoadAndSave(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case isAsset(r):
			next.ServeHTTP(w, r)
		case secure(r):
			overTLS.ServeHTTP(w, r)
		default:
			plain.ServeHTTP(w, r)
		}
	})
}

// begin makes the session the operator's, under a new token.
func (s sessions) begin(r *http.Request, o operator.Operator) error {
	m := s.of(r)
	if err := m.RenewToken(r.Context()); err != nil {
		return err
	}
	m.Put(r.Context(), sessionOperator, o.ID)
	m.Put(r.Context(), sessionEpoch, o.Epoch)
	return nil
}

// Why there is nobody whose session it is.
var (
	errSignedOut = errors.New("signed out")
	errDisabled  = errors.New("the account is disabled")
)

// holder returns the operator whose session it is, or errSignedOut, or errDisabled.
func (c *Console) holder(ctx context.Context, r *http.Request) (operator.Operator, error) {
	m := c.sessions.of(r)
	id := m.GetInt64(r.Context(), sessionOperator)
	if id == 0 {
		return operator.Operator{}, errSignedOut
	}
	o, err := c.Operators.Get(ctx, id)
	if err == nil && o.Disabled {
		return operator.Operator{}, errDisabled
	}
	if errors.Is(err, operator.ErrUnknown) || err == nil && (o.Epoch != m.GetInt64(r.Context(), sessionEpoch)) {
		return operator.Operator{}, errSignedOut
	}
	return o, err
}

type operatorKey struct{}

// current is the operator of a request that passed signedIn; otherwise nobody.
func current(r *http.Request) (operator.Operator, bool) {
	o, found := r.Context().Value(operatorKey{}).(operator.Operator)
	return o, found
}

// signedIn lets operators pass and sends all others to the door.
func (c *Console) signedIn(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		o, err := c.holder(r.Context(), r)
		switch {
		case (errors.Is(err, errSignedOut) || errors.Is(err, errDisabled)) && r.Header.Get("HX-Request") != "":
			w.WriteHeader(http.StatusUnauthorized)
		case errors.Is(err, errDisabled):
			c.showDoor(w, r, http.StatusForbidden, door{}, c.wordsFor(r).text("signin.disabled"))
		case errors.Is(err, errSignedOut):
			to := "/sign-in"
			if r.Method == http.MethodGet && r.URL.Path != "/" {
				to += "?" + url.Values{"to": {r.URL.RequestURI()}}.Encode()
			}
			http.Redirect(w, r, to, http.StatusSeeOther)
		case err != nil:
			c.failed(w, r, err)
		default:
			next(w, r.WithContext(context.WithValue(r.Context(), operatorKey{}, o)))
		}
	}
}

// admin lets admins pass.
func (c *Console) admin(next http.HandlerFunc) http.HandlerFunc {
	return c.signedIn(func(w http.ResponseWriter, r *http.Request) {
		if o, _ := current(r); o.Role != operator.Admin {
			c.fail(w, r, http.StatusForbidden, "fail.forbidden")
			return
		}
		next(w, r)
	})
}

// local returns the address when it is a page of the console, and otherwise
// the first page, so that a link cannot send anybody elsewhere.
func local(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || len(address) < 2 || address[0] != '/' || address[1] == '/' || address[1] == '\\' {
		return "/visitors"
	}
	return u.RequestURI()
}
