package console

import (
	"hash/maphash"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// How often somebody may try to sign in.
const (
	addressEvery, addressBurst = 10 * time.Second, 10
	loginEvery, loginBurst     = 20 * time.Second, 20
	attemptSlots               = 1024
)

// attempts limits sign-ins by the client's address and by login. It has a fixed
// number of limiters, chosen by a hash that nobody outside can compute: it does
// not grow under attack, nor can an attack push a limit out of memory.
type attempts struct {
	now       func() time.Time
	seed      maphash.Seed
	mu        sync.Mutex
	addresses [attemptSlots]*rate.Limiter
	logins    [attemptSlots]*rate.Limiter
}

func newAttempts(now func() time.Time) *attempts {
	return &attempts{now: now, seed: maphash.MakeSeed()}
}

// allow tells whether another attempt may be made, and if not, when.
func (a *attempts) allow(r *http.Request, login string) (wait time.Duration, allowed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	byAddress := a.limiter(&a.addresses, clientNetwork(r), addressEvery, addressBurst).ReserveN(now, 1)
	if wait := byAddress.DelayFrom(now); wait > 0 {
		byAddress.CancelAt(now)
		return wait, false
	}
	if login == "" {
		return 0, true
	}
	byLogin := a.limiter(&a.logins, strings.ToLower(strings.TrimSpace(login)), loginEvery, loginBurst).ReserveN(now, 1)
	if wait := byLogin.DelayFrom(now); wait > 0 {
		byLogin.CancelAt(now)
		return wait, false
	}
	return 0, true
}

func (a *attempts) limiter(of *[attemptSlots]*rate.Limiter, key string, every time.Duration, burst int) *rate.Limiter {
	slot := &of[maphash.String(a.seed, key)%attemptSlots]
	if *slot == nil {
		*slot = rate.NewLimiter(rate.Every(every), burst)
	}
	return *slot
}

// clientNetwork is the client's address, or for IPv6 the network that a single
// client usually has.
func clientNetwork(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	address = address.Unmap().WithZone("")
	if address.Is6() {
		if network, err := address.Prefix(64); err == nil {
			return network.String()
		}
	}
	return address.String()
}
