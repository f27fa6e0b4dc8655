package sip

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
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
)

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
	ua       *sipgo.UserAgent
	server   *sipgo.Server
	logger   *zap.Logger
	observer Observer
	guard    *guard
	strange  rate.Sometimes
	incoming chan struct{} // a place for each request that is worked on

	trunk atomic.Pointer[Trunk] // nil without settings
	desk  atomic.Pointer[Desk]

	mu      sync.Mutex
	sockets map[Address]*socket
	calls   map[string]*call                 // by the orders' ids
	legs    map[string]*leg                  // by their Call-ID
	used    map[*Trunk]int                   // how many calls go on over each
	past    *simplelru.LRU[string, struct{}] // the orders that have been carried out
	closed  bool
	ended   sync.WaitGroup
}

// New returns an exchange that listens nowhere yet; see [Exchange.Listen] and [Exchange.Use].
func New(logger *zap.Logger, observer Observer) (*Exchange, error) {
	x := &Exchange{
		logger: logger, observer: observer, strange: rate.Sometimes{Interval: strangersLogged},
		incoming: make(chan struct{}, maxIncoming),
		sockets:  make(map[Address]*socket), calls: make(map[string]*call), legs: make(map[string]*leg), used: make(map[*Trunk]int),
	}
	var err error
	if x.past, err = simplelru.NewLRU[string, struct{}](rememberedOrders, nil); err != nil {
		return nil, err
	}
	parser := sip.NewParser()
	x.guard = &guard{trusted: x.trusts, dropped: x.drop, parser: parser, logger: logger}
	log := quiet(logger)
	x.ua, err = sipgo.NewUA(sipgo.WithUserAgent("Frontdesk"), sipgo.WithUserAgentParser(parser),
		sipgo.WithUserAgentTransportLayerOptions(sip.WithTransportLayerLogger(log)),
		sipgo.WithUserAgentTransactionLayerOptions(sip.WithTransactionLayerLogger(log), sip.WithTransactionLayerUnhandledResponseHandler(x.stray)))
	if err != nil {
		return nil, fmt.Errorf("making a user of SIP: %w", err)
	}
	if x.server, err = sipgo.NewServer(x.ua, sipgo.WithServerLogger(log)); err != nil {
		return nil, fmt.Errorf("making a server of SIP: %w", err)
	}
	x.answer()
	return x, nil
}

// Use puts the settings and the desk into effect, and stops listening where they do not say so. The
// settings are complete, and [Exchange.Listen] has been called with their addresses. Settings that
// equal those in effect leave the registration as it is.
func (x *Exchange) Use(s Settings, desk Desk) error {
	x.desk.Store(&desk)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return errClosed
	}
	before := x.trunk.Load()
	if before != nil && before.settings.same(s) {
		return nil
	}
	t, err := newTrunk(x, s)
	if err != nil {
		return err
	}
	x.trunk.Store(t)
	x.trim()
	var leave *Trunk
	if before != nil {
		before.retire()
		if before.settings.Register && !before.registersAs(t) {
			leave = before
		}
	}
	x.beside("the trunk", func() {
		if leave != nil {
			leave.unregister()
		}
		t.run()
	})
	return nil
}

var (
	errClosed     = errors.New("sip: closed")
	errNoTrunk    = errors.New("sip: no trunk")
	errOverloaded = errors.New("sip: as many calls as may be go on already")
)

// trusts tells whether the address is the trunk's, or that of a trunk over which calls still go on.
func (x *Exchange) trusts(from netip.Addr) bool {
	if t := x.trunk.Load(); t != nil && t.trusts(from) {
		return true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for t := range x.used {
		if t.trusts(from) {
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

// Name implements [telephony.Caller].
func (*Exchange) Name() string { return Name }

// Place implements [telephony.Caller].
func (x *Exchange) Place(_ context.Context, o telephony.Order) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return errClosed
	}
	if x.calls[o.ID] != nil || x.past.Contains(o.ID) {
		return nil
	}
	t := x.trunk.Load()
	if t == nil {
		return errNoTrunk
	}
	for _, number := range []string{o.Operator, o.Visitor} {
		if plainDigits(number) != number || bounded(number) == "" {
			return errors.New("sip: a number of the order is none")
		}
	}
	if o.CallerID != "" && bounded(plainDigits(o.CallerID)) != o.CallerID {
		return errors.New("sip: the caller's number is none")
	}
	if err := t.ready(); err != nil {
		return err
	}
	if len(x.calls) >= t.settings.Calls {
		x.observer.SIP(Overloaded)
		return errOverloaded
	}
	c := newCall(t, o)
	x.calls[o.ID] = c
	x.past.Add(o.ID, struct{}{})
	x.used[t]++
	x.observer.SIP(Placed)
	x.beside("a call", func() {
		defer x.forget(c)
		c.run()
	})
	return nil
}

// Cancel implements [telephony.Caller].
func (x *Exchange) Cancel(_ context.Context, id string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.calls[id]; c != nil {
		c.cancel()
	}
	return nil
}

// beside runs f beside all else. [Exchange.Close] waits for its end.
func (x *Exchange) beside(what string, f func()) {
	x.ended.Go(func() { aside.Do(x.logger, what, f) })
}

func (x *Exchange) forget(c *call) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.calls, c.order.ID)
	if x.used[c.trunk]--; x.used[c.trunk] == 0 {
		delete(x.used, c.trunk)
	}
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
		s.Registers, s.Registered = t.settings.Register, t.registered.Load()
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
		t.retire()
		if t.settings.Register {
			x.beside("taking the registration back", t.unregister)
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
		s.close()
		<-s.done
	}
	return x.ua.Close()
}
