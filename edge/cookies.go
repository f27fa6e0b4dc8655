package edge

import (
	"net/http"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/api"
)

// ownCookies are the cookies that browsers keep for the service.
var ownCookies = [...]api.HostCookie{api.VisitorCookie, sourceCookie, previewCookie}

// hideCookies takes our own cookies out of a request's headers, so that the site's origin and the caches in front of it see
// the same request from every visitor. All other cookies stay as they were written, byte by byte. It gives
// the fields as they were, or nil where there is nothing to hide.
func hideCookies(h http.Header) (saved []string) {
	fields := h["Cookie"]
	if !slices.ContainsFunc(fields, hasOwnCookie) {
		return nil
	}
	var kept []string
	for _, field := range fields {
		if rest, some := withoutOwnCookies(field); some {
			kept = append(kept, rest)
		}
	}
	if h["Cookie"] = kept; kept == nil {
		delete(h, "Cookie")
	}
	return fields
}

// hasOwnCookie is asked for every request.
func hasOwnCookie(field string) bool {
	if !strings.Contains(field, "svc_") { // as all of them have
		return false
	}
	for pair := range strings.SplitSeq(field, ";") {
		if isOwnCookie(pair) {
			return true
		}
	}
	return false
}

// withoutOwnCookies is a Cookie field without our own cookies, and whether there is anything left of it.
func withoutOwnCookies(field string) (rest string, some bool) {
	if !hasOwnCookie(field) {
		return field, true
	}
	var kept []byte
	first, removed := true, false
	for pair := range strings.SplitSeq(field, ";") {
		switch {
		case isOwnCookie(pair):
			removed = true
			continue
		case !first:
			kept = append(kept, ';')
		case removed: // a field does not begin with the space between two cookies
			pair = strings.TrimLeft(pair, " \t")
		}
		first = false
		kept = append(kept, pair...)
	}
	return string(kept), strings.Trim(string(kept), "; \t") != ""
}

func isOwnCookie(pair string) bool {
	return slices.ContainsFunc(ownCookies[:], func(c api.HostCookie) bool { return c.Is(pair) })
}
