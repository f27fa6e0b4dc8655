package gate

import (
	"iter"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

// Cookie is the name of a cookie that the site sets for all of its paths: for the host alone, or for all hosts of its
// registrable domain.
//
// Any host of a domain can set cookies for its neighbours, and one that comes over plain HTTP may have been set by
// anybody. So a cookie that is set over TLS for the host has the prefix "__Host-": browsers take it from the host itself
// alone, and over TLS alone (RFC 6265bis, section 4.1.3.2). One for the domain has "__Secure-": browsers take it over TLS
// alone, but from neighbours as well.
type Cookie string

const hostPrefix, domainPrefix = "__Host-", "__Secure-"

// CookieAge is the longest time that browsers keep a cookie, 400 days (RFC 6265bis, section 5.5).
const CookieAge = 400 * 24 * time.Hour

// For returns the cookie for a browser that has asked the host, which may have a port. secure says that the browser uses
// TLS, and shared that all hosts of the registrable domain are to get the cookie. An empty value removes it.
func (c Cookie) For(host string, secure, shared bool, value string) *http.Cookie {
	made := &http.Cookie{
		Name: string(c), Value: value, Path: "/", MaxAge: int(CookieAge.Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure,
	}
	if value == "" {
		made.MaxAge = -1
	}
	if shared {
		made.Domain = DomainOf(host)
	}
	switch {
	case secure && made.Domain != "":
		made.Name = domainPrefix + made.Name
	case secure:
		made.Name = hostPrefix + made.Name
	}
	return made
}

// DomainOf returns the registrable domain of a host, which may have a port. It is empty if there is none: for an
// address, and for a suffix under which anybody registers.
func DomainOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if net.ParseIP(strings.Trim(host, "[]")) != nil {
		return ""
	}
	domain, _ := publicsuffix.EffectiveTLDPlusOne(host)
	return domain
}

// Is tells whether a pair of a Cookie field, name=value, is this cookie, with a prefix or without.
func (c Cookie) Is(pair string) bool {
	name, _, found := strings.Cut(strings.TrimSpace(pair), "=")
	return found && strings.TrimPrefix(strings.TrimPrefix(name, hostPrefix), domainPrefix) == string(c)
}

// Values are the values of all cookies of the name in a request, as they are written: first the host's, then those
// without a prefix, then the domain's. Those without are of plain HTTP, or of strangers. Where the site's cookies are
// shared, the domain's come first, since they tell the same at each host.
func (c Cookie) Values(h http.Header, shared bool) iter.Seq[string] {
	prefixes := [...]string{hostPrefix, "", domainPrefix}
	if shared {
		prefixes = [...]string{domainPrefix, hostPrefix, ""}
	}
	return func(yield func(string) bool) {
		for _, prefix := range prefixes {
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
