package sip

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/emiago/sipgo/sip"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

// incomingTimeout bounds how long a caller waits for the number to call.
const incomingTimeout = time.Second

// invited answers an INVITE. In a dialog, it changes the session; any other is a call that comes in.
func (x *Exchange) invited(r *sip.Request, tx sip.ServerTransaction) {
	if r.To().Params.Has("tag") {
		if l := x.legOf(r, tx); l != nil {
			l.Renewed(r, tx)
		}
		return
	}
	t, handlers := x.trunk.Load(), x.handlers.Load()
	if t == nil || handlers == nil || handlers.Incoming == nil {
		x.host.Respond(r, tx, sip.StatusServiceUnavailable, "Service Unavailable")
		return
	}
	region := t.Settings.Region
	called := calledOf(r, region)
	if called == "" {
		x.observer.SIP(Unknown)
		x.host.Respond(r, tx, sip.StatusNotFound, "Not Found")
		return
	}
	e := telephony.Event{
		Platform: Name, Call: callOf(r), Kind: telephony.Start, Connects: true,
		Called: called, Caller: callerOf(r, region), Talk: telephony.Untold, Wait: telephony.Untold,
	}
	var gone atomic.Bool
	tx.OnCancel(func(*sip.Request) { gone.Store(true) })
	ctx, cancel := context.WithTimeout(context.Background(), incomingTimeout)
	defer cancel()
	number, err := handlers.Incoming(ctx, e)
	outcome := Redirected
	if err != nil || number == "" && called != t.Settings.Destination { // a call of the destination itself would come back for ever
		number, outcome = t.Settings.Destination, Fallback
	}
	switch {
	case gone.Load(): // the library has answered
		x.observer.SIP(Abandoned)
		x.endOf(handlers, e, telephony.Missed)
	case number != "":
		x.observer.SIP(outcome)
		contact := t.Address(t.Settings.Dialled(number))
		x.host.Respond(r, tx, sip.StatusMovedTemporarily, "Moved Temporarily", &sip.ContactHeader{Address: contact})
	case err != nil:
		x.observer.SIP(Nowhere)
		x.host.Respond(r, tx, sip.StatusServiceUnavailable, "Service Unavailable", sip.NewHeader("Retry-After", "5"))
		x.endOf(handlers, e, telephony.Failed)
	default:
		x.observer.SIP(Unknown)
		x.host.Respond(r, tx, sip.StatusNotFound, "Not Found")
	}
}

// endOf returns how a call has ended that was not redirected. Nothing is heard of a redirected call.
func (x *Exchange) endOf(handlers *Handlers, e telephony.Event, status telephony.Status) {
	if handlers.Ended == nil {
		return
	}
	e.Kind, e.Connects, e.Status = telephony.End, false, status
	handlers.Ended(context.Background(), e)
}

// callOf returns the id of the call: its Call-ID, or a digest of one that cannot be stored.
func callOf(r *sip.Request) string {
	id := string(*r.CallID())
	odd := func(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) }
	if utf8.ValidString(id) && !strings.ContainsFunc(id, odd) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}
