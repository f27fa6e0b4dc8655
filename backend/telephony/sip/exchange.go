// Package sip calls people over a SIP trunk and joins them, and redirects the calls that come in to
// tracking numbers. It sends and receives signalling alone: voices go between the phones and the trunk.
package sip

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
)

// Name is that of the platform, under which its calls are stored.
const Name = "sip"

// What becomes of messages, and of calls that come in.
const (
	Stranger   = "stranger"    // dropped: it is not from the trunk
	Torn       = "torn"        // dropped: it cannot be read
	Foreign    = "foreign"     // refused: it is about a call that is not known
	Refused    = "refused"     // refused: nothing of its kind is done
	Limited    = "limited"     // refused: too much at once
	Redirected = "redirected"  // a caller is told whom to call instead
	Fallback   = "fallback"    // the same, to the default destination
	Unknown    = "unknown"     // a caller has called a number that nobody has
	Nowhere    = "unavailable" // a caller can be told nothing at the moment
	Abandoned  = "abandoned"   // a caller has hung up before being told
	Placed     = "placed"      // an order is carried out
	Overloaded = "overloaded"  // an order was not taken: there are too many
)

// Outcomes are all that [Observer] is told.
var Outcomes = []string{Stranger, Torn, Foreign, Refused, Limited, Redirected, Fallback, Unknown, Nowhere, Abandoned, Placed, Overloaded}

// Observer counts. Its method must not block.
type Observer interface {
	SIP(outcome string)
}

const (
	// closeTimeout is how long calls have to end before the sockets are closed.
	closeTimeout = 5 * time.Second
	// maxIncoming bounds how many requests are worked on at once.
	maxIncoming = 200
	// rememberedOrders is how many orders are known not to be carried out again.
	rememberedOrders = 1 << 12
	// strangersLogged is how often it is logged that strangers call.
	strangersLogged = time.Minute
)

// Desk is who is told of calls, and asked about them.
type Desk struct {
	// Progress takes what is told of an order. What it refuses is told again for a while.
	Progress func(context.Context, telephony.Progress) error
	// Incoming notes a call that has come in, and finds the number to redirect it to, in digits.
	// It returns within a fraction of a second. The number is empty when nobody has the called
	// one. An error means that this cannot be told now; the call is redirected all the same.
	Incoming func(context.Context, telephony.Event) (number string, err error)
	// Ended tells more of a call that has come in.
	Ended func(context.Context, telephony.Event)
}

// Exchange speaks SIP at its addresses, for one trunk at a time. It outlives the settings: calls
// that have begun go on with those that they were begun with. It is safe for concurrent use.
type Exchange struct {
	server   *sipgo.Server
	logger   *zap.Logger
	observer Observer
	guard    *guard
	strange  rate.Sometimes
	probe    time.Duration // how often phones that talk are asked whether they are still there
	incoming chan struct{} // a place for each request that is worked on

	host  trunk.Host
	trunk atomic.Pointer[trunk.Trunk] // nil without settings
	desk  atomic.Pointer[Desk]

	mu      sync.Mutex
	sockets map[trunk.Address]*socket
	calls   map[string]*call                 // by the orders' ids
	used    map[*trunk.Trunk]int             // how many calls go on over each
	past    *simplelru.LRU[string, struct{}] // the orders that have been carried out
	closed  bool
	ended   sync.WaitGroup
}

// New returns an exchange that listens nowhere yet; see [Exchange.Listen] and [Exchange.Use].
func New(logger *zap.Logger, observer Observer) (*Exchange, error) {
	x := &Exchange{
		logger: logger, observer: observer, strange: rate.Sometimes{Interval: strangersLogged},
		incoming: make(chan struct{}, maxIncoming),
		sockets:  make(map[trunk.Address]*socket), calls: make(map[string]*call), used: make(map[*trunk.Trunk]int), probe: probeEvery,
	}
	var err error
	if x.past, err = simplelru.NewLRU[string, struct{}](rememberedOrders, nil); err != nil {
		return nil, err
	}
	parser := sip.NewParser()
	x.guard = &guard{trusted: x.trusts, dropped: x.drop, parser: parser, logger: logger}
	log := quiet(logger)
	ua, err := sipgo.NewUA(sipgo.WithUserAgent("Frontdesk"), sipgo.WithUserAgentParser(parser),
		sipgo.WithUserAgentTransportLayerOptions(sip.WithTransportLayerLogger(log)),
		sipgo.WithUserAgentTransactionLayerOptions(sip.WithTransactionLayerLogger(log), sip.WithTransactionLayerUnhandledResponseHandler(x.stray)))
	if err != nil {
		return nil, fmt.Errorf("making a user of SIP: %w", err)
	}
	if x.server, err = sipgo.NewServer(ua, sipgo.WithServerLogger(log)); err != nil {
		return nil, fmt.Errorf("making a server of SIP: %w", err)
	}
	x.host.UA, x.host.Logger, x.host.Beside = ua, logger, x.beside
	x.answer()
	return x, nil
}

// Use puts the settings and the desk into effect, and stops listening where they do not say so. The
// settings are complete, and [Exchange.Listen] has been called with their addresses. Settings that
// equal those in effect leave the registration as it is.
func (x *Exchange) Use(s trunk.Settings, desk Desk) error {
	x.desk.Store(&desk)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return errClosed
	}
	before := x.trunk.Load()
	if before != nil && reflect.DeepEqual(before.Settings, s) {
		return nil
	}
	t, err := trunk.New(&x.host, s)
	if err != nil {
		return err
	}
	x.trunk.Store(t)
	x.trim()
	var leave *trunk.Trunk
	if before != nil {
		before.Retire()
		if before.Settings.Register && !before.RegistersAs(t) {
			leave = before
		}
	}
	x.beside("the trunk", func() {
		if leave != nil {
			leave.Unregister()
		}
		t.Run()
	})
	return nil
}

// trusts tells whether the address is the trunk's, or that of a trunk over which calls still go on.
func (x *Exchange) trusts(from netip.Addr) bool {
	if t := x.trunk.Load(); t != nil && t.Trusts(from) {
		return true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for t := range x.used {
		if t.Trusts(from) {
			return true
		}
	}
	return false
}

func (x *Exchange) drop(outcome string, from netip.Addr) {
	x.observer.SIP(outcome)
	x.strange.Do(func() {
		x.logger.Warn("a message that is not the trunk's, or torn, was dropped", zap.String("outcome", outcome), zap.Stringer("from", from))
	})
}

// beside runs f beside all else. [Exchange.Close] waits for its end.
func (x *Exchange) beside(what string, f func()) {
	x.ended.Go(func() { aside.Do(x.logger, what, f) })
}

// State is what an exchange is doing.
type State struct {
	// Calls is how many orders are carried out.
	Calls int
	// Registers tells whether the trunk is asked to send calls here, and Registered whether it
	// has agreed.
	Registers, Registered bool
}

// State tells what the exchange is doing.
func (x *Exchange) State() State {
	x.mu.Lock()
	s := State{Calls: len(x.calls)}
	x.mu.Unlock()
	if t := x.trunk.Load(); t != nil {
		s.Registers, s.Registered = t.Settings.Register, t.Registered()
	}
	return s
}

// Close ends all calls, takes the registration back, and closes the sockets.
func (x *Exchange) Close() error {
	x.mu.Lock()
	x.closed = true
	for _, c := range x.calls {
		c.cancel()
	}
	if t := x.trunk.Load(); t != nil {
		t.Retire()
		if t.Settings.Register {
			x.beside("taking the registration back", t.Unregister)
		}
	}
	x.mu.Unlock()
	done := make(chan struct{})
	aside.Go(x.logger, "waiting for calls", func() {
		x.ended.Wait()
		close(done)
	})
	select {
	case <-done:
	case <-time.After(closeTimeout):
		x.logger.Warn("calls had not ended when their sockets were closed")
	}
	x.mu.Lock()
	sockets := slices.Collect(maps.Values(x.sockets))
	clear(x.sockets)
	x.mu.Unlock()
	for _, s := range sockets {
		_ = s.close()
		<-s.done
	}
	return x.host.UA.Close()
}
