package effect

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"

	"github.com/seed-3405227d/frontdesk/backend/preview"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Request describes a request. The server in front of the edge sets the exported fields. The edge finds the others
// once, at its door, so the rules, the consent and the numbers for the request are of one version.
type Request struct {
	// Key is the site's key. It may be invalid, or no site's.
	Key string
	// URL is the path and the query as the client sent them, before any rewriting.
	URL *url.URL
	// Client is the client's IP address as trusted proxies state it. It is empty if the connection has the address.
	Client string
	// Secure says whether the client uses TLS, perhaps to a trusted proxy.
	Secure bool

	// err says why the service does not know the site now. Site then has only the key.
	Site site.Site
	Err  error
	// Effect is nil if the request is not tracked, or if neither the service nor the configuration knows its site.
	Effect *effect
	// Preview is the preview that the browser is in, or nil.
	Preview *preview.Preview
}

// IsUnknown says whether no site with this key is served.
func (q *Request) IsUnknown() bool { return errors.Is(q.Err, site.ErrUnknown) }

// AsSent returns the request as the client sent it. Its URL is the one that the client asked for, with the scheme https
// if the client used TLS. Its remote address is the client's.
func (q *Request) AsSent(r *http.Request) *http.Request {
	sent, address := *r, *q.URL
	if q.Secure {
		address.Scheme = "https"
	}
	sent.URL = &address
	if q.Client != "" {
		sent.RemoteAddr = net.JoinHostPort(q.Client, "0")
	}
	return &sent
}

// requestKey is the key of the *Request in the context of a request under the prefix.
type requestKey struct{}

// Within returns the request with q in its context.
func (q *Request) Within(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), requestKey{}, q))
}

// RequestOf returns the *Request in the context of a request.
func RequestOf(r *http.Request) *Request { return r.Context().Value(requestKey{}).(*Request) }

// Next passes a request on to the site's origin.
type Next func(http.ResponseWriter, *http.Request) error
