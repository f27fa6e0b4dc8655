package edge

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/seed-3405227d/frontdesk/backend/preview"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Request is what is known of a request. The server in front of the edge sets the exported fields. The edge finds the
// others once, at its door: so the rules, the consent and the numbers by which it is served are of one version.
type Request struct {
	// Key is the site's key. It may be invalid, or no site's.
	Key string
	// URL is the path and the query as the client sent them, before any rewriting.
	URL *url.URL
	// Client is the client's IP address as trusted proxies state it. It is empty if the connection has the address.
	Client string
	// Secure says whether the client uses TLS, perhaps to a trusted proxy.
	Secure bool

	// err says why the service does not tell of the site now. site then has the key alone.
	site site.Site
	err  error
	// effect is nil if the request is not tracked, or for no site that the service or the configuration knows.
	effect *effect
	// preview is the one that the browser is in; nil for none.
	preview *preview.Preview
}

// errSettings is the error of a request if its site's settings cannot be put into effect.
var errSettings = errors.New("making the insertion code failed")

// find finds what is in effect for the request, whose site has been looked up.
func (b *Block) find(q *Request, r *http.Request) {
	if q.err != nil {
		q.site = site.Site{Key: q.Key}
		if q.isUnknown() || !b.edge.Names(q.Key) {
			return
		}
	}
	f, err := b.effectFor(q.site, q.err == nil)
	if err != nil {
		q.err = fmt.Errorf("%w: %w", errSettings, err)
		return
	}
	q.effect, q.preview = f, b.edge.previewing(q.site.ID, r.Header)
}

// isUnknown says whether the site is known not to be one that is served.
func (q *Request) isUnknown() bool { return errors.Is(q.err, site.ErrUnknown) }

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
