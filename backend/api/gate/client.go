package gate

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/pace"
)

// weightOfRequest is how many bytes of a body count as a request: whoever sends large ones may send fewer.
const weightOfRequest = 4 << 10

// Limits bounds the requests of each client.
type Limits struct {
	mu sync.Mutex
	by pace.ByNetwork
}

// NewLimits has a client make so many requests at once, and then one in each pause.
func NewLimits(atOnce int, pause time.Duration) *Limits {
	return &Limits{by: pace.NewByNetwork(atOnce, pause)}
}

// Wait counts the request, and returns for how long its client has to wait; 0 when the request is within the limits, or
// its client has none. A request that is refused is not counted.
func (l *Limits) Wait(r *http.Request) (wait time.Duration) {
	client, limited := ClientOf(r)
	if !limited {
		return 0
	}
	return l.take(client, time.Now())
}

// Within counts the request, and refuses it with the words when its client has to wait.
func (l *Limits) Within(r *http.Request, words string) error {
	if wait := l.Wait(r); wait > 0 {
		return TooMany(words, wait)
	}
	return nil
}

// Weigh counts the body of a request that was counted, as further requests of the client: so the next ones wait for longer.
func (l *Limits) Weigh(r *http.Request, size int) {
	if client, limited := ClientOf(r); limited {
		l.weigh(client, time.Now(), size)
	}
}

func (l *Limits) take(client netip.Addr, now time.Time) (wait time.Duration) {
	tallies := l.by.Of(client)
	l.mu.Lock()
	defer l.mu.Unlock()
	return pace.Take(now, tallies...)
}

func (l *Limits) weigh(client netip.Addr, now time.Time, size int) {
	further := size / weightOfRequest
	if further == 0 {
		return
	}
	tallies := l.by.Of(client)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, tally := range tallies {
		tally.Add(now, further)
	}
}

// ClientOf is the address that is limited. The site's own programs on this machine
// are not limited. A proxy on it is one client for all its visitors, if
// the server has not been told to trust it: nobody's word for an address counts.
func ClientOf(r *http.Request) (client netip.Addr, limited bool) {
	client = pace.Client(r.RemoteAddr)
	return client, !client.IsLoopback() || isProxied(r.Header)
}

// NetworkOf is the network of the client that is limited; empty where it is not known. Behind a
// proxy nearby that the server has not been told to trust, all visitors have one address. As one
// network they would have next to nothing.
func NetworkOf(r *http.Request) string {
	client, limited := ClientOf(r)
	if !limited || (client.IsLoopback() || client.IsPrivate()) && isProxied(r.Header) {
		return ""
	}
	return pace.Truncated(client)
}

// OneNetwork is the network that counts as one where something is shared among clients: the address of IPv4, the /48 of
// IPv6. It is the zero Prefix where nothing tells one client from another.
func OneNetwork(r *http.Request) netip.Prefix {
	if NetworkOf(r) == "" {
		return netip.Prefix{}
	}
	client := pace.Client(r.RemoteAddr)
	bits := 32
	if client.Is6() {
		bits = 48
	}
	network, _ := client.Prefix(bits)
	return network
}

// Client is the client's address; zero where it is not known.
func (r *Request) Client() netip.Addr { return pace.Client(r.RemoteAddr) }

// isProxied tells whether a request bears a field that proxies add.
func isProxied(h http.Header) bool {
	for _, field := range [...]string{"X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via"} {
		if len(h[field]) > 0 {
			return true
		}
	}
	return false
}

// TruncatedClient is the first address of the network of a client, as a request's RemoteAddr has it; see [pace.Truncated].
func TruncatedClient(remote string) string {
	first, _, _ := strings.Cut(pace.Truncated(pace.Client(remote)), "/")
	return first
}
