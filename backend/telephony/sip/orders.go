package sip

import (
	"context"
	"errors"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
)

var (
	errClosed     = errors.New("sip: closed")
	errNoTrunk    = errors.New("sip: no trunk")
	errOverloaded = errors.New("sip: as many calls as may be go on already")
)

// Name implements [telephony.Dialler].
func (*Exchange) Name() string { return Name }

// Place implements [telephony.Dialler].
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
		if trunk.Digits(number) != number || trunk.Bounded(number) == "" {
			return errors.New("sip: a number of the order is none")
		}
	}
	if o.CallerID != "" && trunk.Bounded(trunk.Digits(o.CallerID)) != o.CallerID {
		return errors.New("sip: the caller's number is none")
	}
	if err := t.Ready(); err != nil {
		return err
	}
	if len(x.calls) >= t.Settings.Calls {
		x.observer.SIP(Overloaded)
		return errOverloaded
	}
	c := newCall(x, t, o)
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

// Cancel implements [telephony.Dialler].
func (x *Exchange) Cancel(_ context.Context, id string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.calls[id]; c != nil {
		c.cancel()
	}
	return nil
}

func (x *Exchange) forget(c *call) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.calls, c.order.ID)
	if x.used[c.trunk]--; x.used[c.trunk] == 0 {
		delete(x.used, c.trunk)
	}
}
