package frame

import (
	"context"
	"net/http"
	"net/url"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// SiteField is what a site is called wherever a request names one: in the pattern of a
// route, in the query, and in forms. The door looks for it there, and nowhere else.
const SiteField = "site"

// FirstPage is where operators go who have not said where to.
const FirstPage = "/visitors"

// entry is what the door knows of a request that it has let in.
type entry struct {
	operator operator.Operator
	sites    scope.Sites // that the request may be about
}

type entryKey struct{}

// Admit is the request of the operator, let in by the door, which may be about the sites.
func Admit(r *http.Request, o operator.Operator, sites scope.Sites) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), entryKey{}, entry{o, sites}))
}

// Current is the operator of a request that was let in; otherwise nobody.
func Current(r *http.Request) (operator.Operator, bool) {
	e, found := r.Context().Value(entryKey{}).(entry)
	return e.operator, found
}

// Permitted are the sites that the request may be about: the one that it names, or all
// that the operator sees. They are none for a request that was not let in.
func Permitted(r *http.Request) scope.Sites {
	e, _ := r.Context().Value(entryKey{}).(entry)
	return e.sites
}

// Local returns the address when it is a page of the console, and otherwise
// the first page, so that a link cannot send anybody elsewhere.
func Local(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || len(address) < 2 || address[0] != '/' || address[1] == '/' || address[1] == '\\' {
		return FirstPage
	}
	return u.RequestURI()
}
