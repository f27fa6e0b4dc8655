package api

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/pace"
)

// How often one client may call, in calls a second. Whole offices share an
// address, and the calls of a site's visitors through its server all come from
// that server.
const (
	scriptRate, scriptBurst = 50, 500
	serverRate, serverBurst = 200, 2000
	formRate, formBurst     = 5, 200
)

// weightOfCall is how many bytes of a body count as a call: whoever sends large ones may send fewer.
const weightOfCall = 4 << 10

// limits bounds the calls of each client.
type limits struct {
	mu sync.Mutex
	by pace.ByNetwork
}

func newLimits(perSecond, burst int) *limits {
	return &limits{by: pace.NewByNetwork(burst, time.Second/time.Duration(perSecond))}
}

// take counts a call, and returns for how long the client has to wait before
// the next one; 0 when the call is within the limits. One that is refused is not
// counted.
func (l *limits) take(client netip.Addr, now time.Time) (wait time.Duration) {
	places := l.by.Of(client)
	l.mu.Lock()
	defer l.mu.Unlock()
	return pace.Take(now, places...)
}

// weigh counts the body of a call that was counted as one, as calls of the client: so the next ones wait for longer.
func (l *limits) weigh(client netip.Addr, now time.Time, size int) {
	further := size / weightOfCall
	if further == 0 {
		return
	}
	places := l.by.Of(client)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, place := range places {
		place.Add(now, further)
	}
}

// limit refuses a client that calls too often, or sends too much.
func (a *API) limit(c *call, route *Route) *failure {
	client, limited := clientOf(c.r)
	if !limited {
		return nil
	}
	of := a.scripts
	if route.server {
		of = a.servers
	}
	wait := of.take(client, time.Now())
	if wait == 0 {
		c.weigh = func(size int) { of.weigh(client, time.Now(), size) }
		return nil
	}
	return tooMany("too many calls from this address", wait)
}

// clientOf is the address that is limited. The site's own programs on this machine
// are not limited. A proxy on it is one client for all its visitors, if
// the server has not been told to trust it: nobody's word for an address counts.
func clientOf(r *http.Request) (client netip.Addr, limited bool) {
	client = pace.Client(r.RemoteAddr)
	return client, !client.IsLoopback() || isProxied(r.Header)
}

// networkOf is the network of the client that is limited; empty where it is not known. Behind a
// proxy nearby that the server has not been told to trust, all visitors have one address. As one
// network they would have next to nothing.
func networkOf(r *http.Request) string {
	client, limited := clientOf(r)
	if !limited || (client.IsLoopback() || client.IsPrivate()) && isProxied(r.Header) {
		return ""
	}
	return pace.Truncated(client)
}

// isProxied tells whether a request bears a field that proxies add.
func isProxied(h http.Header) bool {
	for _, field := range [...]string{"X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via"} {
		if len(h[field]) > 0 {
			return true
		}
	}
	return false
}
