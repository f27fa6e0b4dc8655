package live

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
)

// attendance looks for all open streams together whether their sessions go on,
// and keeps their operators present. It sleeps while no stream is open.
type attendance struct {
	live *Live

	mu        sync.Mutex
	attending map[*attendee]struct{}
	arrived   chan struct{} // receives when there is a stream that has not been looked at
	stop      context.CancelFunc
	renewing  sync.Mutex // held while leases are renewed
}

// Why streams end.
var (
	errSignedOut = errors.New("signed out")
	// errMoved is for pages that were made for other sites.
	errMoved = errors.New("the operator sees other sites than before")
)

// attendee is an open stream.
type attendee struct {
	sign  signin.Session
	lease *presence.Lease
	over  chan error // receives why the stream is to end
}

// enter has the stream of the request looked after until it leaves.
func (a *attendance) enter(r *http.Request, lease *presence.Lease) *attendee {
	o, _ := frame.Current(r)
	one := &attendee{lease: lease, over: make(chan error, 1), sign: a.live.Sessions.Sign(r, o.Sites)}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.attending) == 0 {
		var ctx context.Context
		ctx, a.stop = context.WithCancel(context.Background())
		a.attending, a.arrived = make(map[*attendee]struct{}), make(chan struct{}, 1)
		arrived := a.arrived
		aside.Go(a.live.Logger, "looking after streams", func() {
			aside.Keep(ctx, a.live.Logger, "looking after streams", func(ctx context.Context) { a.run(ctx, arrived) })
		})
	}
	a.attending[one] = struct{}{}
	select {
	case a.arrived <- struct{}{}: // the session may have ended since it was loaded
	default:
	}
	return one
}

// leave returns when the lease is renewed no more.
func (a *attendance) leave(one *attendee) {
	a.renewing.Lock()
	defer a.renewing.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.attending, one)
	if len(a.attending) == 0 {
		a.stop()
	}
}

func (a *attendance) run(ctx context.Context, arrived <-chan struct{}) {
	staff, forget := a.live.db.Subscribe(operator.Topic)
	defer forget()
	heartbeat := time.NewTicker(presence.Heartbeat)
	defer heartbeat.Stop()
	for {
		renew := false
		select {
		case <-ctx.Done():
			return
		case <-staff:
		case <-arrived:
		case <-heartbeat.C:
			renew = true
		}
		a.look(ctx, renew)
		select {
		case <-ctx.Done():
			return
		case <-time.After(calm):
		}
	}
}

// look ends the streams whose sessions have ended, and all when that cannot be
// told: they come again.
func (a *attendance) look(running context.Context, renew bool) {
	ctx, cancel := context.WithTimeout(running, storeTime)
	defer cancel()
	a.mu.Lock()
	all := slices.Collect(maps.Keys(a.attending))
	a.mu.Unlock()
	signs := make([]signin.Session, len(all))
	for i, one := range all {
		signs[i] = one.sign
	}
	standing, err := a.live.SignIns.Standing(ctx, signs)
	if running.Err() != nil {
		return // the streams of now have a goroutine of their own
	}
	for _, one := range all {
		switch {
		case err != nil:
			one.end(err)
		case standing[one.sign] == signin.Ended:
			one.end(errSignedOut)
		case standing[one.sign] == signin.Moved:
			one.end(errMoved)
		}
	}
	if err != nil || !renew {
		return
	}
	a.renewing.Lock()
	defer a.renewing.Unlock()
	a.mu.Lock()
	var leases []*presence.Lease
	for one := range a.attending {
		if standing[one.sign] == signin.Stands {
			leases = append(leases, one.lease)
		}
	}
	a.mu.Unlock()
	if err := a.live.Presence.Renew(ctx, leases...); err != nil && running.Err() == nil {
		for _, one := range all {
			one.end(err)
		}
	}
}

func (one *attendee) end(why error) {
	select {
	case one.over <- why:
	default: // it is about to end
	}
}
