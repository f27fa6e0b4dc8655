package gate

import (
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// Base is the address of the service's prefix as the browser sees it, which is
// consultant_server_url.
func (r *Request) Base(page string) string {
	scheme := "http"
	if r.Secure(page) {
		scheme = "https"
	}
	return scheme + "://" + r.Host + strings.TrimSuffix(r.Site.Prefix, "/") + "/"
}

// Secure tells whether the browser uses TLS. Where a proxy ends TLS that the
// server does not trust, the browser's own word does: the origin or the address
// of its page. A client that lies gets a cookie that it cannot use.
func (r *Request) Secure(page string) bool {
	return r.TLS != nil || r.URL.Scheme == "https" || hasScheme(r.Header.Get("Origin"), "https") || hasScheme(page, "https")
}

func hasScheme(address, scheme string) bool {
	found, _, _ := strings.Cut(address, "://")
	return strings.EqualFold(found, scheme)
}

// NamesHost refuses a request whose Host header cannot be part of an address that is
// given out.
func (r *Request) NamesHost() error {
	for _, ch := range []byte(r.Host) {
		switch {
		case 'a' <= ch && ch <= 'z', 'A' <= ch && ch <= 'Z', '0' <= ch && ch <= '9':
		case strings.IndexByte("-._:[]", ch) >= 0:
		default:
			return unnamedHost()
		}
	}
	if r.Host == "" {
		return unnamedHost()
	}
	return nil
}

func unnamedHost() error { return Malformed("malformed_host", "the Host header names no host") }

// Field is the field of the request's header as text that can be stored, of limit bytes at most.
func (r *Request) Field(name string, limit int) string {
	return clip.Text(r.Header.Get(name), limit)
}
