package console

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/operator"
)

const (
	// rememberedNetworks and rememberedNames bound how many networks, and how many
	// logins or browsers, have their failures remembered.
	rememberedNetworks, rememberedNames = 1 << 15, 1 << 14
	// manyTries is how many attempts of a network are told apart.
	manyTries = 1000
	// maxChecking is how long an attempt may wait for its password to be checked.
	maxChecking = 20 * time.Second
	// busyFor is when to come again after being turned away from a full line.
	busyFor = 2 * time.Second
)

// attempts slows down those who guess passwords, and nobody else: it counts
// failures alone, each where it belongs.
//
// A browser in which the operator has signed in before has a count of its own,
// which no stranger can reach. All other browsers are counted by network and by
// login. Too many failures at a login do not close it, since its owner may be
// the next to come: they leave fewer attempts to each network.
type attempts struct {
	now func() time.Time

	mu        sync.Mutex
	browsers  *limit
	logins    *limit
	networks  networkLimits
	besieging networkLimits // networks, at logins with too many failures
	tries     networkLimits // refuse nobody
	setups    networkLimits

	known, unknown *line
}

func newAttempts(now func() time.Time) *attempts {
	half := max(1, runtime.GOMAXPROCS(0)/2)
	return &attempts{
		now:       now,
		browsers:  newLimit(10, time.Minute, rememberedNames),
		logins:    newLimit(20, 20*time.Second, rememberedNames),
		networks:  newNetworkLimits(10, time.Minute),
		besieging: newNetworkLimits(3, 20*time.Minute),
		tries:     newNetworkLimits(manyTries, time.Minute),
		setups:    newNetworkLimits(10, time.Minute),
		known:     newLine(half),
		unknown:   newLine(half),
	}
}

// tooMany is the error of an attempt that was not made: it may be made after
// that time.
type tooMany time.Duration

func (tooMany) Error() string { return "too many attempts" }

// password makes an attempt to know the login's password, from a browser that is
// known by that name, or unknown where it is empty. The error is the attempt's,
// or tooMany. Only [operator.ErrCredentials] counts as a failure.
func (a *attempts) password(r *http.Request, login, browser string, attempt func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(r.Context(), maxChecking)
	defer cancel()
	line, tries := a.known, 0
	own := func() []counted { return []counted{{limit: a.browsers, key: browser}} }
	if browser == "" {
		line = a.unknown
		own = func() (own []counted) {
			own, tries = a.strangers(r, login)
			return own
		}
	}
	return a.count(own, operator.ErrCredentials, func() error {
		switch err := line.enter(ctx, tries); {
		case err != nil && r.Context().Err() == nil:
			return tooMany(busyFor)
		case err != nil:
			return err
		}
		defer line.leave()
		err := attempt(ctx)
		if err != nil && ctx.Err() != nil && r.Context().Err() == nil { // it took too long
			return tooMany(busyFor)
		}
		return err
	})
}

// strangers is where attempts of unknown browsers are counted, and how often
// their networks have tried in vain lately. Those that have not are checked
// first: guessers have been there before, and the owner has just come.
func (a *attempts) strangers(r *http.Request, login string) (own []counted, tries int) {
	from, now := networksOf(r), a.now()
	own = a.networks.counted(from)
	for _, c := range a.tries.counted(from) {
		tries = max(tries, c.limit.failures(c.key, now))
		c.open, c.tries = true, true
		own = append(own, c)
	}
	besieged := false
	if login = strings.ToLower(strings.TrimSpace(login)); operator.ValidLogin(login) == nil {
		besieged = a.logins.wait(login, now) > 0
		own = append(own, counted{limit: a.logins, key: login, open: true})
	}
	for _, c := range a.besieging.counted(from) {
		c.open = !besieged
		own = append(own, c)
	}
	return own, tries
}

// setup makes an attempt to use the setup link.
func (a *attempts) setup(r *http.Request, attempt func() error) error {
	return a.count(func() []counted { return a.setups.counted(networksOf(r)) }, operator.ErrSetupToken, attempt)
}

// counted is where an attempt is counted.
type counted struct {
	limit *limit
	key   string
	open  bool // does not refuse
	tries bool // counts whatever does not succeed
}

// count makes the attempt, unless one of the limits that it is counted by
// refuses it.
func (a *attempts) count(by func() []counted, failure error, attempt func() error) (err error) {
	own, err := a.begin(by)
	if err != nil {
		return err
	}
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, c := range own {
			c.limit.end(c.key, a.now(), errors.Is(err, failure) || c.tries && err != nil)
		}
	}()
	return attempt()
}

func (a *attempts) begin(by func() []counted) ([]counted, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	own := by()
	var wait time.Duration
	for _, c := range own {
		if !c.open {
			wait = max(wait, c.limit.wait(c.key, a.now()))
		}
	}
	if wait > 0 {
		return nil, tooMany(wait)
	}
	for _, c := range own {
		c.limit.begin(c.key)
	}
	return own, nil
}

// networkLimits count by the client's address, and for IPv6 by the networks that
// one client may have whole: a /64 and a /48.
type networkLimits struct{ narrow, wide *limit }

func newNetworkLimits(burst int, every time.Duration) networkLimits {
	const clients = 4 // that may well be behind one /48
	return networkLimits{newLimit(burst, every, rememberedNetworks), newLimit(clients*burst, every/clients, rememberedNetworks)}
}

func (l networkLimits) counted(n networks) []counted {
	own := []counted{{limit: l.narrow, key: n.narrow}}
	if n.wide != "" {
		own = append(own, counted{limit: l.wide, key: n.wide})
	}
	return own
}

// networks are those of a client's address; wide is empty for IPv4.
type networks struct{ narrow, wide string }

func networksOf(r *http.Request) networks {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return networks{narrow: host}
	}
	address = address.Unmap().WithZone("")
	prefix := func(bits int) string { return netip.PrefixFrom(address, bits).Masked().String() }
	if address.Is4() {
		return networks{narrow: prefix(32)}
	}
	return networks{narrow: prefix(64), wide: prefix(48)}
}
