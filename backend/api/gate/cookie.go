package gate

import (
	"iter"
	"net/http"
	"strings"
)

// HostCookie is the name of a cookie that the site's own host sets for all of
// its paths.
//
// Any host of a domain can set cookies for its neighbours, and one that comes
// over plain HTTP may have been set by anybody. So a cookie that is set over TLS
// has the prefix "__Host-": browsers take it from the host itself alone, and
// over TLS alone (RFC 6265bis, section 4.1.3.2).
type HostCookie string

const hostPrefix = "__Host-"

// Name is the name by which the cookie is set; secure tells that the browser
// uses TLS. A prefixed cookie has to be Secure, with the path "/" and no domain.
func (c HostCookie) Name(secure bool) string {
	if secure {
		return hostPrefix + string(c)
	}
	return string(c)
}

// Is tells whether a pair of a Cookie field, name=value, is this cookie, with the prefix or without.
func (c HostCookie) Is(pair string) bool {
	name, _, found := strings.Cut(strings.TrimSpace(pair), "=")
	return found && strings.TrimPrefix(name, hostPrefix) == string(c)
}

// Values are the values of all cookies of the name in a request, as they are
// written: first those with the prefix, then those without. The latter are
// cookies of plain HTTP, of the time before there was a prefix, or of strangers.
func (c HostCookie) Values(h http.Header) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, prefix := range [...]string{hostPrefix, ""} {
			for _, line := range h["Cookie"] {
				for pair := range strings.SplitSeq(line, ";") {
					name, value, found := strings.Cut(strings.TrimSpace(pair), "=")
					if name, prefixed := strings.CutPrefix(name, prefix); found && prefixed && name == string(c) && !yield(value) {
						return
					}
				}
			}
		}
	}
}
