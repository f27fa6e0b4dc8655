// Package platforms answers telephone platforms: it verifies what they tell, has it stored, and tells them where to put
// callers through.
package platforms

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	telephone "github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

const (
	// maxToldBody is the size in bytes of what a platform tells at once.
	maxToldBody = 32 << 10
	// progressTimeout bounds how long what is told of an order is being stored.
	progressTimeout = 30 * time.Second
	// connectTimeout bounds how long a caller waits to be connected. What is told of the call is stored all the same.
	connectTimeout = 150 * time.Millisecond
	// forgedRate and forgedBurst bound what a client may send that no platform has signed. What a platform has signed is
	// not bounded: behind a proxy that was not declared, all clients have one address.
	forgedRate, forgedBurst = 5, 100
	// verifiedAtOnce is how many requests are verified at once, and verifyWait for how long others wait for that.
	// Verifying the largest takes a millisecond.
	verifiedAtOnce = 4
	verifyWait     = 5 * time.Second
)

// What becomes of a request of a platform, besides what becomes of an event (package call) and the codes of
// [telephony.Refusal].
const (
	platformLimited = "limited"
	platformUnknown = "unknown_callback"
)

// Orders takes what is told of orders; see [callback.Callbacks.Progress].
type Orders interface {
	Progress(ctx context.Context, p telephony.Progress) error
}

// Platforms answers telephone platforms. It is safe for concurrent use. nil knows none.
type Platforms struct {
	at          map[string]telephony.Platform // by their routes
	switchboard *telephone.Switchboard
	orders      Orders
	now         func() time.Time
	forged      *gate.Limits
	verifying   chan struct{} // holds one for each request that is being verified
}

// New returns the handler of what the platforms send. now is what time it is, by which signatures count.
func New(platforms []telephony.Platform, switchboard *telephone.Switchboard, orders Orders, now func() time.Time) *Platforms {
	p := &Platforms{
		at: make(map[string]telephony.Platform), switchboard: switchboard, orders: orders, now: now,
		forged: gate.NewLimits(forgedBurst, time.Second/forgedRate), verifying: make(chan struct{}, verifiedAtOnce),
	}
	for _, platform := range platforms {
		for _, route := range platform.Routes() {
			p.at[route] = platform
		}
	}
	return p
}

// Serve answers a request at the route, which is the path behind "calls/". r is as for [gate.Request]. While the database
// cannot be reached, a caller is connected all the same, and whatever else is told has to be sent again.
func (p *Platforms) Serve(w http.ResponseWriter, r *http.Request, route string) {
	var platform telephony.Platform
	if p != nil {
		platform = p.at[route]
	}
	if platform == nil {
		gate.Unknown(w)
		return
	}
	gate.NotToBeKept(w.Header())
	of := &gate.Request{Request: r, W: w}
	if f := of.Allowed(gate.Post); f != nil {
		gate.FailWith(w, f)
		return
	}
	e, request, f := p.read(of, platform, route)
	number := ""
	if f == nil {
		number, f = p.take(r.Context(), platform.Name(), e)
	}
	if f != nil {
		gate.FailWith(w, f)
		return
	}
	reply := platform.Reply(request, e, number)
	w.Header().Set("Content-Type", reply.Type)
	w.Write(reply.Body)
}

// take stores what the platform has told. If it waits to connect a caller, take returns the number to connect with.
func (p *Platforms) take(ctx context.Context, platform string, e telephony.Event) (number string, f *gate.Failure) {
	switch {
	case e.Progress != nil:
		return "", p.progress(ctx, platform, *e.Progress)
	case e.Kind == telephony.Other:
		return "", nil
	case e.Connects:
		waited := time.NewTimer(connectTimeout)
		defer waited.Stop()
		stored := p.switchboard.Keep(ctx, e)
		number, _ = p.switchboard.Destination(ctx, e)
		select {
		case <-stored:
		case <-waited.C:
		}
		return number, nil
	}
	if err := p.switchboard.Take(ctx, e); err != nil {
		return "", unstored()
	}
	return "", nil
}

// progress stores what is told of an order.
func (p *Platforms) progress(ctx context.Context, platform string, told telephony.Progress) *gate.Failure {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), progressTimeout)
	defer cancel()
	err := p.orders.Progress(ctx, told)
	switch {
	case err == nil:
		p.switchboard.Tell(platform, string(telephone.More), nil)
		return nil
	case errors.Is(err, callback.ErrUnknown):
		p.switchboard.Tell(platform, platformUnknown, nil)
		return gate.NewFailure(http.StatusNotFound, "unknown_callback", "there is no such callback, or not any more")
	}
	p.switchboard.Tell(platform, telephone.Unavailable, err)
	return unstored()
}

// unstored is the failure of a request that has to be sent again.
func unstored() *gate.Failure {
	f := gate.NewFailure(http.StatusServiceUnavailable, "unavailable", "the service cannot store anything at the moment; repeat the request later")
	f.RetryAfter = 5
	return f
}

// read verifies and reads the request.
func (p *Platforms) read(r *gate.Request, platform telephony.Platform, route string) (telephony.Event, *telephony.Request, *gate.Failure) {
	body, err := r.ReadBody(maxToldBody)
	request := &telephony.Request{Route: route, URL: addressOf(r.Request), Header: r.Header, Body: body}
	var e telephony.Event
	if err == nil {
		e, err = p.verified(r.Context(), platform, request)
	}
	if err == nil {
		return e, request, nil
	}
	outcome, f := p.refused(r.Request, err)
	if !errors.Is(err, errBusy) {
		err = nil // it is the sender's
	}
	p.switchboard.Tell(platform.Name(), outcome, err)
	return e, nil, f
}

// refused returns what became of a request that cannot be read, and what the client is told.
func (p *Platforms) refused(r *http.Request, err error) (outcome string, f *gate.Failure) {
	if errors.Is(err, errBusy) {
		return telephone.Unavailable, unstored()
	}
	outcome, signed := telephony.Malformed, false
	if refusal, is := errors.AsType[telephony.Refusal](err); is {
		f = gate.NewFailure(http.StatusUnauthorized, refusal.Code, "%s", refusal.Reason)
		if refusal.Code == telephony.Malformed {
			f.Status = http.StatusBadRequest
		}
		outcome, signed = refusal.Code, refusal.Code != telephony.Forged
	} else if !errors.As(err, &f) {
		f = gate.Malformed("malformed_body", "the request cannot be read")
	}
	if f.Status == http.StatusServiceUnavailable { // it says nothing of who sends it
		return telephone.Unavailable, f
	}
	if !signed {
		if wait := p.forged.Wait(r); wait > 0 {
			return platformLimited, gate.TooMany("too many requests from this address were refused", wait)
		}
	}
	return outcome, f
}

var errBusy = errors.New("too many requests are being verified")

// verified is what the platform reads in the request, or [errBusy].
func (p *Platforms) verified(ctx context.Context, platform telephony.Platform, request *telephony.Request) (telephony.Event, error) {
	waited := time.NewTimer(verifyWait)
	defer waited.Stop()
	select {
	case p.verifying <- struct{}{}:
		defer func() { <-p.verifying }()
		return platform.Read(request, p.now())
	case <-waited.C:
	case <-ctx.Done():
	}
	return telephony.Event{}, errBusy
}

// addressOf is the whole public address of the request.
func addressOf(r *http.Request) string {
	scheme := "http"
	if r.URL.Scheme == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host + r.URL.RequestURI()
}
