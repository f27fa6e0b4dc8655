package sip

import (
	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

// answer says what is done with the requests that come in.
func (x *Exchange) answer() {
	for method, handle := range map[sip.RequestMethod]func(*sip.Request, sip.ServerTransaction){
		sip.INVITE: x.invited, sip.ACK: x.acknowledged, sip.BYE: x.bye, sip.CANCEL: x.cancelled, sip.OPTIONS: x.options,
	} {
		x.server.OnRequest(method, x.guarded(handle))
	}
	x.server.OnNoRoute(x.guarded(func(r *sip.Request, tx sip.ServerTransaction) {
		x.observer.SIP(Refused)
		x.respond(r, tx, sip.StatusMethodNotAllowed, "Method Not Allowed", sip.NewHeader("Allow", allowed))
	}))
}

// guarded outlives a fault with a request.
func (x *Exchange) guarded(handle func(*sip.Request, sip.ServerTransaction)) sipgo.RequestHandler {
	return func(r *sip.Request, tx sip.ServerTransaction) {
		aside.Do(x.logger, "answering a SIP request", func() { x.take(r, tx, handle) })
	}
}

// take has the request answered, unless too many are.
func (x *Exchange) take(r *sip.Request, tx sip.ServerTransaction, handle func(*sip.Request, sip.ServerTransaction)) {
	if !complete(r) { // over TCP nobody has looked yet
		x.observer.SIP(Torn)
		if !r.IsAck() {
			x.respond(r, tx, sip.StatusBadRequest, "Bad Request")
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
			x.respond(r, tx, sip.StatusServiceUnavailable, "Service Unavailable", sip.NewHeader("Retry-After", "5"))
		}
	}
}

// respond answers with no more than a status and headers.
func (x *Exchange) respond(r *sip.Request, tx sip.ServerTransaction, status int, reason string, headers ...sip.Header) {
	res := sip.NewResponseFromRequest(r, status, reason, nil)
	for _, h := range headers {
		res.AppendHeader(h)
	}
	if err := tx.Respond(res); err != nil {
		x.logger.Debug("a SIP request could not be answered", zap.Int("status", status), zap.Error(err))
	}
}

// legOf is the leg that the request is of. Nil when there is none, and then it has been answered.
func (x *Exchange) legOf(r *sip.Request, tx sip.ServerTransaction) *leg {
	x.mu.Lock()
	l := x.legs[string(*r.CallID())]
	x.mu.Unlock()
	own, inOrder := false, false
	if l != nil {
		own, inOrder = l.of(r)
	}
	switch {
	case own && inOrder:
		return l
	case r.IsAck():
	case own: // RFC 3261, section 12.2.2
		x.respond(r, tx, sip.StatusInternalServerError, "Server Internal Error")
	default:
		x.observer.SIP(Foreign)
		x.respond(r, tx, sip.StatusCallTransactionDoesNotExists, "Call/Transaction Does Not Exist")
	}
	return nil
}

func (x *Exchange) bye(r *sip.Request, tx sip.ServerTransaction) {
	l := x.legOf(r, tx)
	if l == nil {
		return
	}
	x.respond(r, tx, sip.StatusOK, "OK")
	if l.heardBye() {
		l.tell(happening{leg: l, kind: hungUp})
	}
}

// options tells the trunk that this side is there.
func (x *Exchange) options(r *sip.Request, tx sip.ServerTransaction) {
	if r.To().Params.Has("tag") && x.legOf(r, tx) == nil {
		return
	}
	x.respond(r, tx, sip.StatusOK, "OK", sip.NewHeader("Allow", allowed), sip.NewHeader("Accept", sessionType))
}

// cancelled is told of a CANCEL whose INVITE is answered already, or has never come.
func (x *Exchange) cancelled(r *sip.Request, tx sip.ServerTransaction) {
	x.respond(r, tx, sip.StatusCallTransactionDoesNotExists, "Call/Transaction Does Not Exist")
}

// stray is told of responses to requests that are over. They are dropped: who waits for an ACK that
// does not come hangs up.
func (x *Exchange) stray(*sip.Response) {}
