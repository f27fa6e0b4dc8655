// Package sip calls people over a SIP trunk and connects them, and redirects calls to tracking numbers. It handles only
// signalling: voices go between the phones and the trunk. Package callback gives it orders, and package call stores the
// calls that come in.
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

// Name is the platform's name, under which its calls are stored.
const Name = telephony.SIP

// What becomes of messages and of calls that come in.
const (
	Stranger   = "stranger"    // dropped: it is not from the trunk
	Torn       = "torn"        // dropped: it cannot be read
	Foreign    = "foreign"     // refused: it is about an unknown call
	Refused    = "refused"     // refused: it asks for something that is not supported
	Limited    = "limited"     // refused: there is too much at once
	Redirected = "redirected"  // a caller is sent to another number
	Fallback   = "fallback"    // a caller is sent to the default destination
	Unknown    = "unknown"     // a caller has called a number that nobody has, and there is no default destination
	Nowhere    = "unavailable" // a caller cannot be sent anywhere now
	Abandoned  = "abandoned"   // a caller has hung up before the answer
	Placed     = "placed"      // an order is being carried out
	Overloaded = "overloaded"  // an order was refused, because there are too many
)

// Outcomes are all outcomes for [Observer].
var Outcomes = []string{Stranger, Torn, Foreign, Refused, Limited, Redirected, Fallback, Unknown, Nowhere, Abandoned, Placed, Overloaded}

// Observer counts outcomes. Its method must not block.
type Observer interface {
	SIP(outcome string)
}

const (
	// closeTimeout is how long calls have to end before the sockets are closed.
	closeTimeout = 5 * time.Second
	// maxIncoming bounds the requests in progress.
	maxIncoming = 200
	// rememberedOrders is how many orders are remembered, so that none is carried out twice.
	rememberedOrders = 1 << 12
	// strangersLogged is how often the log says that strangers send messages.
	strangersLogged = time.Minute
)

// Handlers are what the exchange calls: they store calls and orders, and answer questions about them.
type Handlers struct {
	// Progress stores a report about an order. After an error, the exchange repeats it for a while.
	Progress func(context.Context, telephony.Progress) error
	// Incoming stores a call that has come in, and finds the number to redirect it to, as digits. It returns within a
	// fraction of a second. The number is empty if nobody has the called one. An error means that this is not known
	// now. In both cases, the call is redirected to the default destination.
	Incoming func(context.Context, telephony.Event) (number string, err error)
	// Ended stores more about a call that has come in.
	Ended func(context.Context, telephony.Event)
}

// Exchange speaks SIP at its addresses, for one trunk at a time. It survives changes of settings: calls keep the
// settings with which they have begun. It is safe for concurrent use.
type Exchange struct {
	server   *sipgo.Server
	logger   *zap.Logger
	observer Observer
	guard    *guard
	strange  rate.Sometimes
	probe    time.Duration // how often the phones in a call are asked whether they are still there
	incoming chan struct{} // a place for each request in progress

	host     trunk.Host
	trunk    atomic.Pointer[trunk.Trunk] // nil without settings
	handlers atomic.Pointer[Handlers]

	mu      sync.Mutex
	sockets map[trunk.Address]*socket
	calls   map[string]*call                 // by the id of the order
	used    map[*trunk.Trunk]int             // how many calls use each trunk
	past    *simplelru.LRU[string, struct{}] // the orders that have been carried out
	closed  bool
	ended   sync.WaitGroup
}

// New returns an exchange that does not listen yet; see [Exchange.Listen] and [Exchange.Use].
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

// Use applies the settings and the handlers, and closes addresses that are not in the settings. The settings are
// complete, and [Exchange.Listen] has been called with their addresses. Equal settings leave the registration as it is.
func (x *Exchange) Use(s trunk.Settings, handlers Handlers) error {
	x.handlers.Store(&handlers)
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

// trusts says whether the address belongs to the trunk, or to a trunk with calls in progress.
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

// beside runs f in a goroutine. [Exchange.Close] waits for it.
func (x *Exchange) beside(what string, f func()) {
	x.ended.Go(func() { aside.Do(x.logger, what, f) })
}

// State says what an exchange is doing.
type State struct {
	// Calls is how many orders are being carried out.
	Calls int
	// Registers says whether the exchange asks the trunk to send calls here, and Registered whether the trunk has
	// accepted that.
	Registers, Registered bool
}

// State returns what the exchange is doing.
func (x *Exchange) State() State {
	x.mu.Lock()
	s := State{Calls: len(x.calls)}
	x.mu.Unlock()
	if t := x.trunk.Load(); t != nil {
		s.Registers, s.Registered = t.Settings.Register, t.Registered()
	}
	return s
}

// Close ends all calls, removes the registration, and closes the sockets.
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
