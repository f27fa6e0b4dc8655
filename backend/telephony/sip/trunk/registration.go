package trunk

import (
	"context"
	"crypto/rand"
	"fmt"
	mrand "math/rand/v2"
	"strconv"
	"time"

	"github.com/emiago/sipgo/sip"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

const (
	// registerTimeout bounds one attempt to register.
	registerTimeout = 15 * time.Second
	// leaveTimeout bounds the removal of a registration.
	leaveTimeout = 2500 * time.Millisecond
	// firstPause and lastPause bound the pauses after failed attempts. Each pause is twice the one before.
	firstPause = 2 * time.Second
	lastPause  = 5 * time.Minute
	// shortest is the shortest time after which a registration is renewed.
	shortest = 10 * time.Second
)

// keepRegistered asks the trunk to send calls here, and renews that in time, until the trunk is retired.
func (t *Trunk) keepRegistered() {
	pause, told := firstPause, ""
	for t.ending.Err() == nil {
		granted, err := t.register(t.ending, t.Settings.Expires)
		if t.ending.Err() != nil {
			return
		}
		wait := max(granted*4/5, shortest)
		if err != nil {
			t.registered.Store(false)
			if err.Error() != told {
				told = err.Error()
				t.host.Logger.Error("registering at the SIP trunk failed, and is tried again", zap.String("trunk", t.Settings.Trunk), zap.Error(err))
			}
			wait = pause/2 + mrand.N(pause/2+1)
			pause = min(2*pause, lastPause)
		} else {
			if !t.registered.Swap(true) {
				t.host.Logger.Info("registered at the SIP trunk", zap.String("trunk", t.Settings.Trunk), zap.Duration("for", granted))
			}
			pause, told = firstPause, ""
		}
		aside.Sleep(t.ending, wait)
	}
}

// RegistersAs says whether the other trunk registers the same user at the same place, so that its registration replaces
// this one.
func (t *Trunk) RegistersAs(other *Trunk) bool {
	return other.Settings.Register && t.Settings.Trunk == other.Settings.Trunk && t.Settings.Domain == other.Settings.Domain &&
		t.Settings.User == other.Settings.User && t.contact.String() == other.contact.String()
}

// Registered says whether the trunk has agreed to send calls here.
func (t *Trunk) Registered() bool { return t.registered.Load() }

// Unregister removes the registration.
func (t *Trunk) Unregister() {
	if !t.registered.Swap(false) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	if _, err := t.register(ctx, 0); err != nil {
		t.host.Logger.Warn("the registration at the SIP trunk could not be taken back", zap.Error(err))
	}
}

// register asks for a registration for the time, or removes it if the time is 0. It returns the time that the trunk
// grants.
func (t *Trunk) register(ctx context.Context, expires time.Duration) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, registerTimeout)
	defer cancel()
	if t.addresses.Load() == nil {
		return 0, fmt.Errorf("the trunk's host has no address")
	}
	for longer := false; ; longer = true {
		res, err := t.do(ctx, t.registration(expires), t.nextRegister)
		if err != nil {
			return 0, fmt.Errorf("no answer: %w", err)
		}
		switch {
		case res.IsSuccess():
			return t.granted(res, expires), nil
		case res.StatusCode == sip.StatusIntervalToBrief && !longer:
			if h := res.GetHeader("Min-Expires"); h != nil {
				if seconds, err := strconv.Atoi(h.Value()); err == nil && seconds > 0 && time.Duration(seconds)*time.Second <= maxExpires {
					expires = time.Duration(seconds) * time.Second
					continue
				}
			}
		}
		return 0, fmt.Errorf("refused with status %d", res.StatusCode)
	}
}

func (t *Trunk) nextRegister() uint32 {
	t.registerNo++
	return t.registerNo
}

func (t *Trunk) registration(expires time.Duration) *sip.Request {
	r := sip.NewRequest(sip.REGISTER, t.Address(""))
	from := &sip.FromHeader{Address: t.Address(t.Settings.User), Params: sip.NewParams()}
	from.Params.Add("tag", random()[:16])
	id, seconds, hops := sip.CallIDHeader(t.registerID), sip.ExpiresHeader(expires/time.Second), sip.MaxForwardsHeader(70)
	r.AppendHeader(from)
	r.AppendHeader(&sip.ToHeader{Address: t.Address(t.Settings.User)})
	r.AppendHeader(&id)
	r.AppendHeader(&sip.CSeqHeader{SeqNo: t.nextRegister(), MethodName: sip.REGISTER})
	r.AppendHeader(&hops)
	r.AppendHeader(&sip.ContactHeader{Address: t.contact})
	r.AppendHeader(&seconds)
	t.toTrunk(r)
	return r
}

// granted returns how long the trunk keeps the registration: what it says about this contact, or else about all, or the
// time that was asked for.
func (t *Trunk) granted(res *sip.Response, asked time.Duration) time.Duration {
	read := func(text string) time.Duration {
		seconds, err := strconv.Atoi(text)
		if err != nil || seconds < 1 || seconds > int(maxExpires/time.Second) {
			return 0
		}
		return time.Duration(seconds) * time.Second
	}
	for _, h := range res.GetHeaders("Contact") {
		contact, is := h.(*sip.ContactHeader)
		if !is || contact.Address.Host != t.contact.Host || contact.Address.User != t.contact.User || contact.Params == nil {
			continue
		}
		if text, told := contact.Params.Get("expires"); told {
			if granted := read(text); granted > 0 {
				return granted
			}
		}
	}
	if h := res.GetHeader("Expires"); h != nil {
		if granted := read(h.Value()); granted > 0 {
			return granted
		}
	}
	return asked
}

// random returns a text that nobody can guess.
func random() string { return rand.Text() }
