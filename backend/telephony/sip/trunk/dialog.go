package trunk

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"
)

// confirm reads the dialog from the response (RFC 3261, section 12.1.2).
func (l *Leg) confirm(res *sip.Response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remoteTag, l.target, l.routes = dialogOf(res, l.invite.Recipient)
	l.answer = session(res)
}

func dialogOf(res *sip.Response, otherwise sip.Uri) (tag string, target sip.Uri, routes []string) {
	if to := res.To(); to != nil { // over TCP, nobody has checked that
		tag, _ = to.Params.Get("tag")
	}
	target = otherwise
	if contact := res.Contact(); contact != nil {
		target = *contact.Address.Clone()
	}
	for _, h := range res.GetHeaders("Record-Route") {
		routes = append(routes, h.Value())
	}
	slices.Reverse(routes)
	return tag, target, routes
}

// request makes a request in the dialog (RFC 3261, section 12.2.1.1).
func (l *Leg) request(method sip.RequestMethod, seq uint32) *sip.Request {
	return l.within(method, seq, l.remoteTag, l.target, l.routes)
}

func (l *Leg) within(method sip.RequestMethod, seq uint32, tag string, target sip.Uri, routes []string) *sip.Request {
	r := sip.NewRequest(method, target)
	r.AppendHeader(sip.HeaderClone(l.invite.From()))
	to := &sip.ToHeader{Address: l.invite.To().Address, Params: sip.NewParams()}
	if tag != "" {
		to.Params.Add("tag", tag)
	}
	r.AppendHeader(to)
	r.AppendHeader(sip.HeaderClone(l.invite.CallID()))
	r.AppendHeader(&sip.CSeqHeader{SeqNo: seq, MethodName: method})
	hops := sip.MaxForwardsHeader(70)
	r.AppendHeader(&hops)
	for _, route := range routes {
		r.AppendHeader(sip.NewHeader("Route", route))
	}
	if method == sip.INVITE {
		r.AppendHeader(&sip.ContactHeader{Address: l.trunk.contact})
		r.AppendHeader(sip.NewHeader("Allow", Allowed))
	}
	r.SetTransport(strings.ToUpper(l.trunk.Settings.Transport))
	return r
}

// Acknowledge sends the ACK of the answer with the session, and keeps it in case the answer is repeated.
func (l *Leg) Acknowledge(description []byte) {
	l.mu.Lock()
	ack := l.request(sip.ACK, l.invite.CSeq().SeqNo)
	for _, name := range []string{"Authorization", "Proxy-Authorization"} { // RFC 3261, section 13.2.2.4
		if h := l.invite.GetHeader(name); h != nil {
			ack.AppendHeader(sip.NewHeader(name, h.Value()))
		}
	}
	setSession(ack, description)
	l.ack = ack.Clone()
	l.mu.Unlock()
	l.write(ack)
}

// refuse acknowledges an answer that is not needed any more. It declines the phone's offer.
func (l *Leg) refuse(offer []byte) {
	if offer == nil || l.invite.Body() != nil {
		l.Acknowledge(nil)
	} else {
		l.Acknowledge(declined(offer))
	}
	time.Sleep(overtaking)
}

// Leave ends the leg after it has stopped ringing. If an answer came in the moment in which the call ended, Leave
// acknowledges it first, because every answer needs an ACK (RFC 3261, section 13.2.2.4).
func (l *Leg) Leave() {
	<-l.over
	l.mu.Lock()
	waits, answer := l.remoteTag != "" && l.ack == nil, l.answer
	l.mu.Unlock()
	if waits {
		l.refuse(answer)
	}
	l.bye()
}

// write sends an ACK. Nobody knows whether it arrives; if it does not, the answer is repeated.
func (l *Leg) write(ack *sip.Request) {
	_ = l.trunk.client.WriteRequest(ack, sipgo.ClientRequestBuild)
}

// repeated handles a further answer to the INVITE. An answer of our phone gets its ACK again. A proxy may have called
// several phones, and another one may have answered as well: that one is hung up (RFC 3261, section 13.2.2.4).
func (l *Leg) repeated(res *sip.Response) {
	if !res.IsSuccess() {
		return
	}
	tag, target, routes := dialogOf(res, l.invite.Recipient)
	l.mu.Lock()
	own, ack, seq := tag == l.remoteTag, l.ack, l.invite.CSeq().SeqNo
	known := l.remoteTag != ""
	l.mu.Unlock()
	switch {
	case own && ack != nil:
		l.write(ack.Clone())
	case own || !known: // it is acknowledged when the other phone has answered
	default:
		other := l.within(sip.ACK, seq, tag, target, routes)
		offer := session(res)
		if offer != nil && l.invite.Body() == nil {
			setSession(other, declined(offer))
		}
		l.write(other)
		bye := l.within(sip.BYE, seq+1, tag, target, routes)
		l.trunk.host.Beside("hanging up another phone", func() {
			ctx, cancel := context.WithTimeout(context.Background(), byeTimeout)
			defer cancel()
			_, _ = l.trunk.do(ctx, bye, func() uint32 { return seq + 2 })
		})
	}
}

// next returns the number of our next request.
func (l *Leg) next() uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	return l.seq
}

// bye hangs up, unless either side has done so already, and waits for the answer for a while. Then the leg is
// forgotten.
func (l *Leg) bye() {
	defer l.trunk.host.drop(l)
	l.mu.Lock()
	if l.ended || l.remoteTag == "" {
		l.mu.Unlock()
		return
	}
	l.ended = true
	l.seq++
	r := l.request(sip.BYE, l.seq)
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), byeTimeout)
	defer cancel()
	_, _ = l.trunk.do(ctx, r, l.next)
}

// Alive asks the phone whether it still knows the call. Any answer counts, unless it says no (RFC 3261, section
// 12.2.1.2).
func (l *Leg) Alive(ctx context.Context) bool {
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return true // the call hears of it
	}
	l.seq++
	r := l.request(sip.OPTIONS, l.seq)
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, aliveTimeout)
	defer cancel()
	res, err := l.trunk.do(ctx, r, l.next)
	return err == nil && res.StatusCode != sip.StatusCallTransactionDoesNotExists && res.StatusCode != sip.StatusRequestTimeout
}

// HeardBye notes that the other side has hung up, and reports it once.
func (l *Leg) HeardBye() {
	l.mu.Lock()
	known := l.ended
	l.ended = true
	l.mu.Unlock()
	if !known {
		l.tell(Happening{Leg: l, Kind: HungUp})
	}
}

// Of says whether the request belongs to the leg's dialog and is not older than the previous one.
func (l *Leg) Of(r *sip.Request) (own, inOrder bool) {
	from, _ := r.From().Params.Get("tag")
	to, _ := r.To().Params.Get("tag")
	l.mu.Lock()
	defer l.mu.Unlock()
	if to != l.Tag || l.remoteTag == "" || from != l.remoteTag {
		return false, false
	}
	if r.IsAck() || r.IsCancel() {
		return true, true
	}
	seq := r.CSeq().SeqNo
	if seq <= l.remoteSeq {
		return true, false
	}
	l.remoteSeq = seq
	return true, true
}
