package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
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

// The cookies of sessions.
const (
	secureCookie = "__Host-frontdesk"
	plainCookie  = "frontdesk"
)

// sessions are kept by two managers over one store, because a cookie with the
// __Host- prefix, which no other host can set, exists on HTTPS alone.
type sessions struct {
	secure, plain *scs.SessionManager
}

func newSessions(store scs.CtxStore, failed func(http.ResponseWriter, *http.Request, error)) sessions {
	manager := func(cookie string) *scs.SessionManager {
		// scs.New would begin a goroutine for a store in memory, which nothing ends.
		return &scs.SessionManager{
			Store: store, Codec: scs.GobCodec{}, HashTokenInStore: true, Lifetime: sessionLifetime, ErrorFunc: failed,
			Cookie: scs.SessionCookie{Name: cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Persist: true},
		}
	}
	s := sessions{secure: manager(secureCookie), plain: manager(plainCookie)}
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

// sessionCookie is the name of the cookie that holds the request's session.
func sessionCookie(r *http.Request) string {
	if secure(r) {
		return secureCookie
	}
	return plainCookie
}

// loaded gives the request its session.
func (s sessions) loaded(next http.Handler) http.Handler {
	overTLS, plain := s.secure.LoadAndSave(next), s.plain.LoadAndSave(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if secure(r) {
			overTLS.ServeHTTP(w, r)
		} else {
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

// errMoved ends the streams of a page that was made for other sites.
var errMoved = errors.New("the operator sees other sites than before")

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

// entry is what the door knows of a request that it has let in.
type entry struct {
	operator operator.Operator
	sites    scope.Sites // that the request may be about
}

type entryKey struct{}

// current is the operator of a request that passed signedIn; otherwise nobody.
func current(r *http.Request) (operator.Operator, bool) {
	e, found := r.Context().Value(entryKey{}).(entry)
	return e.operator, found
}

// permitted are the sites that the request may be about: the one that it names, or all
// that the operator sees. They are none for a request that has not passed signedIn.
func permitted(r *http.Request) scope.Sites {
	e, _ := r.Context().Value(entryKey{}).(entry)
	return e.sites
}

// siteField is what a site is called wherever a request names one: in the pattern of a
// route, in the query, and in forms. The door looks for it there, and nowhere else.
const siteField = "site"

// namedSites are those of the sites that the request is about: the one it names, or else
// all of them. ok is false when it names one that is none of them.
func namedSites(r *http.Request, sites scope.Sites) (named scope.Sites, ok bool) {
	r.PostFormValue(siteField) // reads the form
	lists := append(r.URL.Query()[siteField], r.PostForm[siteField]...)
	lists = slices.DeleteFunc(lists, func(text string) bool { return text == "" || text == "0" }) // all sites
	if inPath := r.PathValue(siteField); inPath != "" {
		lists = append(lists, inPath)
	}
	for _, text := range lists {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 || !sites.Has(id) {
			return scope.Sites{}, false
		}
		sites = sites.Only(id)
	}
	return sites, true
}

// signedIn lets operators pass and sends all others to the door. Nobody gets to a site
// that is not theirs: for them it does not exist.
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
			sites, ok := namedSites(r, o.Sites)
			r = r.WithContext(context.WithValue(r.Context(), entryKey{}, entry{o, sites}))
			if !ok {
				c.fail(w, r, http.StatusNotFound, "fail.notFound")
				return
			}
			next(w, r)
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

// chief lets admins of all sites pass.
func (c *Console) chief(next http.HandlerFunc) http.HandlerFunc {
	return c.admin(func(w http.ResponseWriter, r *http.Request) {
		if o, _ := current(r); !o.Sites.All() {
			c.fail(w, r, http.StatusForbidden, "fail.chief")
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
