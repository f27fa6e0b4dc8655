package gate

import (
	"net/http"
	"slices"
	"strings"
)

// crossOrigin answers preflight requests, and refuses requests from pages of
// origins that are not the site's. It reports whether it answered.
//
// A request without an Origin header comes from no page of another site, or is
// one that pages could always send without reading its answer; what it does is
// bound to credentials that only the site's pages have.
func (r *Request) crossOrigin(route *Route) (done bool) {
	header := r.W.Header()
	header.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin != "" {
		if !r.sameOrigin(origin) && !slices.ContainsFunc(r.Site.Origins, func(o string) bool { return strings.EqualFold(o, origin) }) {
			r.fail(NewFailure(http.StatusForbidden, "foreign_origin", "this site does not take calls from pages of that origin"), route.Result)
			return true
		}
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Access-Control-Allow-Credentials", "true")
		header.Set("Access-Control-Expose-Headers", "Retry-After")
	}
	if r.Method != http.MethodOptions {
		return false
	}
	methods := strings.Join(route.Methods, ", ")
	header.Set("Allow", methods+", OPTIONS")
	if origin != "" {
		header.Set("Access-Control-Allow-Methods", methods)
		header.Set("Access-Control-Allow-Headers", "Content-Type, Idempotency-Key")
		header.Set("Access-Control-Max-Age", "7200")
	}
	r.W.WriteHeader(http.StatusNoContent)
	return true
}

// sameOrigin compares hosts only: behind a proxy that ends TLS, the scheme that
// the browser sees is not known here.
func (r *Request) sameOrigin(origin string) bool {
	scheme, host, found := strings.Cut(origin, "://")
	if !found || host == "" {
		return false // also "null", the origin of sandboxed pages
	}
	port := ":80"
	if strings.EqualFold(scheme, "https") {
		port = ":443"
	}
	return strings.EqualFold(strings.TrimSuffix(host, port), strings.TrimSuffix(r.Host, port))
}
