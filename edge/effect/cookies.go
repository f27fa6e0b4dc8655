package effect

import (
	"net/http"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
)

// ownCookies are the cookies that the service sets.
var ownCookies = [...]gate.Cookie{view.VisitorCookie, view.BackCookie, sourceCookie, PreviewCookie}

// HideCookies removes the service's cookies from a request's headers, so that the origin and its caches see the same
// request from every visitor. Other cookies stay as they are, byte by byte. hideCookies returns the earlier fields, or
// nil if it has removed nothing.
func HideCookies(h http.Header) (saved []string) {
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

// hasOwnCookie says whether a Cookie field has a cookie of the service. It has to be fast, since it is called for every
// request.
func hasOwnCookie(field string) bool {
	if !strings.Contains(field, "svc_") { // which the names of all of them contain
		return false
	}
	for pair := range strings.SplitSeq(field, ";") {
		if isOwnCookie(pair) {
			return true
		}
	}
	return false
}

// withoutOwnCookies removes the service's cookies from a Cookie field. some says whether other cookies are left.
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
	return slices.ContainsFunc(ownCookies[:], func(c gate.Cookie) bool { return c.Is(pair) })
}

// relayedCookies are the cookies that go to the service elsewhere, and that it may set.
var relayedCookies = [...]gate.Cookie{view.VisitorCookie, view.BackCookie, sourceCookie}

// IsRelayedCookie says whether name=value is one of them.
func IsRelayedCookie(pair string) bool {
	return slices.ContainsFunc(relayedCookies[:], func(c gate.Cookie) bool { return c.Is(pair) })
}

// CookiesOf returns the cookies in a request that are the service's, and the one by which the visitor agrees, as one
// field.
func (f *effect) CookiesOf(h http.Header) string {
	var own []string
	for _, line := range h["Cookie"] {
		for pair := range strings.SplitSeq(line, ";") {
			pair = strings.TrimSpace(pair)
			if name, _, _ := strings.Cut(pair, "="); IsRelayedCookie(pair) || name != "" && name == f.Consent.Cookie {
				own = append(own, pair)
			}
		}
	}
	return strings.Join(own, "; ")
}
