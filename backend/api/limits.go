package api

import (
	"math"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// How often one client may call, in calls a second. Whole offices share an
// address, and the calls of a site's visitors through its server all come from
// that server.
const (
	scriptRate, scriptBurst = 50, 500
	serverRate, serverBurst = 200, 2000
)

// limits bounds the calls of each client address. It remembers the addresses of
// two periods: the oldest are forgotten when a period ends, or is full.
type limits struct {
	rate  rate.Limit
	burst int

	mu              sync.Mutex
	began           time.Time
	recent, earlier map[netip.Prefix]*rate.Limiter
}

const (
	limitPeriod    = time.Minute
	limitAddresses = 1 << 15
)

func newLimits(perSecond float64, burst int) *limits {
	return &limits{rate: rate.Limit(perSecond), burst: burst, recent: make(map[netip.Prefix]*rate.Limiter)}
}

// take counts a call, and returns for how long the client has to wait before
// the next one; 0 when the call is within the limits.
func (l *limits) take(client netip.Prefix, now time.Time) time.Duration {
	reservation := l.of(client, now).ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

func (l *limits) of(client netip.Prefix, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.began) > limitPeriod || len(l.recent) >= limitAddresses {
		l.earlier, l.recent, l.began = l.recent, make(map[netip.Prefix]*rate.Limiter), now
	}
	limiter := l.recent[client]
	if limiter == nil {
		if limiter = l.earlier[client]; limiter == nil {
			limiter = rate.NewLimiter(l.rate, l.burst)
		}
		l.recent[client] = limiter
	}
	return limiter
}

// limit refuses a client that calls too often.
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
		return nil
	}
	f := fail(http.StatusTooManyRequests, "too_many_requests", "too many calls from this address")
	f.retryAfter = int(math.Ceil(wait.Seconds()))
	return f
}

// clientOf is the network that is limited as one client: an IPv4 address, or
// the /64 that one IPv6 subscriber has. The site's own programs on this machine
// are not limited. A proxy on it is one client for all its visitors, if
// the server has not been told to trust it: nobody's word for an address counts.
func clientOf(r *http.Request) (client netip.Prefix, limited bool) {
	ip, err := netip.ParseAddr(r.RemoteAddr)
	if err != nil {
		both, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil {
			return netip.Prefix{}, true
		}
		ip = both.Addr()
	}
	ip = ip.Unmap().WithZone("")
	if ip.IsLoopback() && !isProxied(r.Header) {
		return netip.Prefix{}, false
	}
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	client, _ = ip.Prefix(bits)
	return client, true
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
