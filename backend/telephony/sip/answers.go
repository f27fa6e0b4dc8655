package sip

import (
	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
)

// answer is how incoming requests are handled.
func (x *Exchange) answer() {
	for method, handle := range map[sip.RequestMethod]func(*sip.Request, sip.ServerTransaction){
		sip.INVITE: x.invited, sip.ACK: x.acknowledged, sip.BYE: x.bye, sip.CANCEL: x.cancelled, sip.OPTIONS: x.options,
	} {
		x.server.OnRequest(method, x.guarded(handle))
	}
	x.server.OnNoRoute(x.guarded(func(r *sip.Request, tx sip.ServerTransaction) {
		x.observer.SIP(Refused)
		x.host.Respond(r, tx, sip.StatusMethodNotAllowed, "Method Not Allowed", sip.NewHeader("Allow", trunk.Allowed))
	}))
}

// guarded survives a panic while it handles a request.
func (x *Exchange) guarded(handle func(*sip.Request, sip.ServerTransaction)) sipgo.RequestHandler {
	return func(r *sip.Request, tx sip.ServerTransaction) {
		aside.Do(x.logger, "answering a SIP request", func() { x.take(r, tx, handle) })
	}
}

// take has the request answered, unless too many are in progress.
func (x *Exchange) take(r *sip.Request, tx sip.ServerTransaction, handle func(*sip.Request, sip.ServerTransaction)) {
	if !complete(r) { // over TCP, nobody has checked that yet
		x.observer.SIP(Torn)
		if !r.IsAck() {
			x.host.Respond(r, tx, sip.StatusBadRequest, "Bad Request")
		}
		return
	}
	select {
	case x.incoming <- struct{}{}:
		defer func() { <-x.incoming }()
		handle(r, tx)
	default:
		x.observer.SIP(Limited)
		if !r.IsAck() {
			x.host.Respond(r, tx, sip.StatusServiceUnavailable, "Service Unavailable", sip.NewHeader("Retry-After", "5"))
		}
	}
}

// legOf returns the leg of the request. If there is none, it answers the request and returns nil.
func (x *Exchange) legOf(r *sip.Request, tx sip.ServerTransaction) *trunk.Leg {
	l := x.host.Leg(string(*r.CallID()))
	own, inOrder := false, false
	if l != nil {
		own, inOrder = l.Of(r)
	}
	switch {
	case own && inOrder:
		return l
	case r.IsAck():
	case own: // RFC 3261, section 12.2.2
		x.host.Respond(r, tx, sip.StatusInternalServerError, "Server Internal Error")
	default:
		x.observer.SIP(Foreign)
		x.host.Respond(r, tx, sip.StatusCallTransactionDoesNotExists, "Call/Transaction Does Not Exist")
	}
	return nil
}

func (x *Exchange) bye(r *sip.Request, tx sip.ServerTransaction) {
	l := x.legOf(r, tx)
	if l == nil {
		return
	}
	x.host.Respond(r, tx, sip.StatusOK, "OK")
	l.HeardBye()
}

// acknowledged passes an ACK to whoever waits for it.
func (x *Exchange) acknowledged(r *sip.Request, tx sip.ServerTransaction) {
	if l := x.legOf(r, tx); l != nil {
		l.Acknowledged(r)
	}
}

// options tells the trunk that this side is there.
func (x *Exchange) options(r *sip.Request, tx sip.ServerTransaction) {
	if r.To().Params.Has("tag") && x.legOf(r, tx) == nil {
		return
	}
	x.host.Respond(r, tx, sip.StatusOK, "OK", sip.NewHeader("Allow", trunk.Allowed), sip.NewHeader("Accept", trunk.SessionType))
}

// cancelled handles a CANCEL whose INVITE has been answered already, or has never come.
func (x *Exchange) cancelled(r *sip.Request, tx sip.ServerTransaction) {
	x.host.Respond(r, tx, sip.StatusCallTransactionDoesNotExists, "Call/Transaction Does Not Exist")
}

// stray handles responses to requests that are over. It drops them: a phone that waits for an ACK in vain hangs up.
func (x *Exchange) stray(*sip.Response) {}
