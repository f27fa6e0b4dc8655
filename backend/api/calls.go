package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	telephone "github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

const (
	// maxCallBody is the size in bytes of what a platform tells at once.
	maxCallBody = 32 << 10
	// callTimeout bounds the work of one such request. A platform that does not wait so
	// long repeats what is stored by then, which does no harm.
	callTimeout = 30 * time.Second
	// connectTimeout bounds how long a caller waits to be connected, and lookupTimeout how
	// long of that for the number to connect with. What is told of the call is stored all
	// the same.
	connectTimeout = 150 * time.Millisecond
	lookupTimeout  = 80 * time.Millisecond
	// forgedRate and forgedBurst bound what a client may send that no platform has signed. What
	// one has signed is not bounded: behind a proxy that was not declared, all clients have one
	// address.
	forgedRate, forgedBurst = 5, 100
	// verifiedAtOnce is how many requests are verified at once, and verifyWait for how long
	// others wait for that. Verifying the largest takes a millisecond.
	verifiedAtOnce = 4
	verifyWait     = 5 * time.Second
)

// What becomes of a request of a platform, beside the constants of calls.News and the
// codes of [telephony.Refusal].
const (
	callLimited     = "limited"
	callUnavailable = "unavailable"
	callUnknown     = "unknown_callback"
	callConnected   = "connected" // while the call itself could not be stored in time
)

// CallOutcomes are all that [CallObserver] is told.
var CallOutcomes = []string{
	string(telephone.Fresh), string(telephone.More), string(telephone.Repeated), telephony.Forged, telephony.Stale, telephony.Malformed,
	callLimited, callUnavailable, callUnknown, callConnected,
}

// CallObserver is told what became of each request of a platform. It must not block.
type CallObserver interface {
	Call(platform, outcome string)
}

// Calls answers telephone platforms. It is safe for concurrent use.
type Calls struct {
	platforms map[string]telephony.Platform // by their routes
	forged    *limits
	verifying chan struct{} // holds one for each request that is being verified
	outage    rate.Sometimes
	logger    *zap.Logger
	observer  CallObserver
}

// NewCalls returns the handler of what the platforms send.
func NewCalls(platforms []telephony.Platform, logger *zap.Logger, observer CallObserver) *Calls {
	a := &Calls{
		platforms: make(map[string]telephony.Platform), forged: newLimits(forgedRate, forgedBurst),
		verifying: make(chan struct{}, verifiedAtOnce), outage: rate.Sometimes{Interval: time.Second}, logger: logger, observer: observer,
	}
	for _, p := range platforms {
		for _, route := range p.Routes() {
			a.platforms[route] = p
		}
	}
	return a
}

// Ready is where the calls are kept, while that can be reached. Done ends its use, and is
// called once.
type Ready struct {
	Calls *telephone.Calls
	// Callbacks takes what is told of orders; see [callback.Callbacks.Progress].
	Callbacks interface {
		Progress(ctx context.Context, p telephony.Progress) error
	}
	Done func()
}

// Serve answers a request at the route, which is the path behind "calls/". r is as for
// [API.Serve]. ready is nil while the database cannot be reached: then a caller is
// connected all the same, and whatever else is told has to be repeated.
func (a *Calls) Serve(w http.ResponseWriter, r *http.Request, route string, ready *Ready) {
	if ready == nil {
		ready = &Ready{Done: func() {}}
	}
	stored := false
	defer func() {
		if !stored { // else who stores it calls Done
			ready.Done()
		}
	}()
	header := w.Header()
	notToBeKept(header)
	platform := a.platforms[route]
	if platform == nil {
		Unknown(w)
		return
	}
	answering := &Route{methods: post}
	c := &call{w: w, r: r}
	if f := c.allowed(answering); f != nil {
		c.fail(answering, f)
		return
	}
	e, request, f := a.read(c, platform, route)
	if f != nil {
		c.fail(answering, f)
		return
	}
	number := ""
	switch {
	case e.Progress != nil:
		f = a.progress(r.Context(), platform, *e.Progress, ready)
	case e.Kind == telephony.Other:
	case ready.Calls == nil:
		f = a.unstored(platform.Name(), e, errAway)
	case e.Connects:
		stored = true
		number = a.connect(r.Context(), platform.Name(), e, ready)
	default:
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), callTimeout)
		defer cancel()
		f = a.take(ctx, platform.Name(), e, ready)
	}
	if f != nil && !e.Connects {
		c.fail(answering, f)
		return
	}
	reply := platform.Reply(request, e, number)
	header.Set("Content-Type", reply.Type)
	w.Write(reply.Body)
}

// read verifies and reads the request.
func (a *Calls) read(c *call, platform telephony.Platform, route string) (telephony.Event, *telephony.Request, *failure) {
	body, err := c.body(maxCallBody)
	request := &telephony.Request{Route: route, URL: addressOf(c.r), Header: c.r.Header, Body: body}
	var e telephony.Event
	if err == nil {
		e, err = a.verified(c.r.Context(), platform, request)
	}
	if err == nil {
		return e, request, nil
	}
	if full, is := errors.AsType[*failure](err); is && full.status == http.StatusServiceUnavailable { // it says nothing of who sends it
		a.observer.Call(platform.Name(), callUnavailable)
		return e, nil, full
	}
	if errors.Is(err, errBusy) {
		return e, nil, a.unstored(platform.Name(), e, err)
	}
	f := malformed("malformed_body", "the request cannot be read")
	outcome, signed := telephony.Malformed, false
	if refusal, is := errors.AsType[telephony.Refusal](err); is {
		f = fail(http.StatusUnauthorized, refusal.Code, "%s", refusal.Reason)
		if refusal.Code == telephony.Malformed {
			f.status = http.StatusBadRequest
		}
		outcome, signed = refusal.Code, refusal.Code != telephony.Forged
	} else {
		errors.As(err, &f)
	}
	if client, limited := clientOf(c.r); limited && !signed {
		if wait := a.forged.take(client, time.Now()); wait > 0 {
			f, outcome = tooMany("too many requests from this address were refused", wait), callLimited
		}
	}
	a.observer.Call(platform.Name(), outcome)
	return e, nil, f
}

var errBusy = errors.New("too many requests are being verified")

// verified is what the platform reads in the request, or [errBusy].
func (a *Calls) verified(ctx context.Context, platform telephony.Platform, request *telephony.Request) (telephony.Event, error) {
	waited := time.NewTimer(verifyWait)
	defer waited.Stop()
	select {
	case a.verifying <- struct{}{}:
		defer func() { <-a.verifying }()
		return platform.Read(request, time.Now())
	case <-waited.C:
	case <-ctx.Done():
	}
	return telephony.Event{}, errBusy
}

// take stores the event.
func (a *Calls) take(ctx context.Context, platform string, e telephony.Event, ready *Ready) *failure {
	_, news, err := ready.Calls.Take(ctx, e)
	if err != nil {
		return a.unstored(platform, e, err)
	}
	a.observer.Call(platform, string(news))
	return nil
}

// progress stores what is told of an order.
func (a *Calls) progress(ctx context.Context, platform telephony.Platform, p telephony.Progress, ready *Ready) *failure {
	if ready.Callbacks == nil {
		return a.unstored(platform.Name(), telephony.Event{}, errAway)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	err := ready.Callbacks.Progress(ctx, p)
	if errors.Is(err, callback.ErrUnknown) {
		a.observer.Call(platform.Name(), callUnknown)
		return fail(http.StatusNotFound, "unknown_callback", "there is no such callback, or not any more")
	}
	if err != nil {
		return a.unstored(platform.Name(), telephony.Event{}, err)
	}
	a.observer.Call(platform.Name(), string(telephone.More))
	return nil
}

var errAway = errors.New("the database cannot be reached")

func (a *Calls) unstored(platform string, e telephony.Event, err error) *failure {
	outcome := callUnavailable
	if e.Connects {
		outcome = callConnected
	}
	a.observer.Call(platform, outcome)
	a.outage.Do(func() {
		a.logger.Error("what a telephone platform tells could not be stored", zap.String("platform", platform), zap.Error(err))
	})
	f := fail(http.StatusServiceUnavailable, "unavailable", "the service cannot store anything at the moment; repeat the request later")
	f.retryAfter = 5
	return f
}

// connect finds the number to connect the caller with, and stores the event, which may take
// longer than the caller has to wait.
func (a *Calls) connect(ctx context.Context, platform string, e telephony.Event, ready *Ready) (number string) {
	waited := time.NewTimer(connectTimeout)
	defer waited.Stop()
	stored := a.keep(ctx, platform, e, ready)
	number, _ = a.destination(ctx, platform, e, ready)
	select {
	case <-stored:
	case <-waited.C:
	}
	return number
}

// keep stores the event, and ends the use of what is ready. The caller of a telephone may not wait for
// that.
func (a *Calls) keep(ctx context.Context, platform string, e telephony.Event, ready *Ready) (stored <-chan struct{}) {
	ctx = context.WithoutCancel(ctx)
	done := make(chan struct{})
	aside.Go(a.logger, "storing a call", func() {
		defer ready.Done()
		defer close(done)
		ctx, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		a.take(ctx, platform, e, ready)
	})
	return done
}

// destination is the number that the called one stands for, or empty when nobody has that.
func (a *Calls) destination(ctx context.Context, platform string, e telephony.Event, ready *Ready) (string, error) {
	looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
	defer cancel()
	number, err := ready.Calls.Destination(looking, e.Called)
	if err != nil {
		a.outage.Do(func() {
			a.logger.Error("the number to connect a caller with could not be looked up", zap.String("platform", platform), zap.Error(err))
		})
	}
	return number, err
}

// Connect is for platforms that do not call over HTTP: it gives the number to connect the caller of the
// event with, within a tenth of a second. The number is empty when nobody has the called one; such a
// call is not stored. Any other is, also when the error says that the number could not be found out.
// ready is nil while the database cannot be reached.
func (a *Calls) Connect(ctx context.Context, e telephony.Event, ready *Ready) (number string, err error) {
	if ready == nil {
		a.unstored(e.Platform, e, errAway)
		return "", errAway
	}
	number, err = a.destination(ctx, e.Platform, e, ready)
	if number == "" && err == nil {
		ready.Done()
		return "", nil
	}
	a.keep(ctx, e.Platform, e, ready)
	return number, err
}

// Tell stores more of a call of such a platform, in the background.
func (a *Calls) Tell(ctx context.Context, e telephony.Event, ready *Ready) {
	if ready == nil {
		a.unstored(e.Platform, e, errAway)
		return
	}
	a.keep(ctx, e.Platform, e, ready)
}

// addressOf is the whole public address of the request.
func addressOf(r *http.Request) string {
	scheme := "http"
	if r.URL.Scheme == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host + r.URL.RequestURI()
}
