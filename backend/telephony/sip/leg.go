package sip

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"
)

const (
	// answerTimeout is how long the trunk may leave a call without any answer, be it that it is
	// trying.
	answerTimeout = 10 * time.Second
	// byeTimeout bounds how long the end of a call is waited for.
	byeTimeout = 4 * time.Second
	// aliveTimeout bounds how long a phone may take to say that it is still there.
	aliveTimeout = 20 * time.Second
	// maxCallID is the size in bytes of a call's id.
	maxCallID = 200
	// allowed are the methods that are understood.
	allowed = "INVITE, ACK, CANCEL, BYE, OPTIONS"
)

// happening is what a leg tells its call.
type happening struct {
	leg  *leg
	kind happened
	// status is the code of the response, session what the phone has offered or answered in it.
	status  int
	session []byte
	err     error
}

type happened int

const (
	rings    happened = iota
	answered          // with a session
	refused           // by the status
	lost              // err says why nothing was heard
	hungUp            // by whoever is there
	vanished          // it has not answered any more
)

// leg is one of the two phones of a call: an INVITE that is sent, and the dialog that comes of it.
type leg struct {
	trunk    *Trunk
	tell     func(happening)
	callID   string
	localTag string
	stop     chan struct{} // closed when the phone is to ring no more
	stopping sync.Once
	over     chan struct{} // closed when ringing has ended, in whatever way

	mu        sync.Mutex
	invite    *sip.Request // the one that counts: the last that was sent
	remoteTag string       // of the dialog; empty until there is one
	answer    []byte       // the session of the final response, nil for none
	target    sip.Uri
	routes    []string
	seq       uint32 // of our last request
	remoteSeq uint32 // of theirs
	ack       *sip.Request
	ended     bool                // BYE has been sent or come
	joined    *leg                // the other phone's
	renewing  bool                // a session is being changed
	acks      chan<- *sip.Request // where the ACK of the number acksOf is waited for
	acksOf    uint32
}

// dial sends the INVITE. What comes of it is told, from another goroutine.
func (t *Trunk) dial(number, callerID string, offer []byte, tell func(happening)) *leg {
	l := &leg{
		trunk: t, tell: tell, callID: random(), localTag: random()[:16], seq: 1,
		stop: make(chan struct{}), over: make(chan struct{}),
	}
	if callerID == "" {
		callerID = t.settings.User
	}
	r := sip.NewRequest(sip.INVITE, t.address(t.settings.dialled(number)))
	from := &sip.FromHeader{Address: t.address(callerID), Params: sip.NewParams()}
	from.Params.Add("tag", l.localTag)
	id, hops := sip.CallIDHeader(l.callID), sip.MaxForwardsHeader(70)
	r.AppendHeader(from)
	r.AppendHeader(&sip.ToHeader{Address: r.Recipient})
	r.AppendHeader(&id)
	r.AppendHeader(&sip.CSeqHeader{SeqNo: l.seq, MethodName: sip.INVITE})
	r.AppendHeader(&hops)
	r.AppendHeader(&sip.ContactHeader{Address: t.contact})
	r.AppendHeader(sip.NewHeader("Allow", allowed))
	setSession(r, offer)
	t.toTrunk(r)
	l.invite = r
	t.x.mu.Lock()
	t.x.legs[l.callID] = l
	t.x.mu.Unlock()
	t.x.beside("ringing", func() {
		defer close(l.over)
		l.ring()
	})
	return l
}

// setSession puts the description into the message.
func setSession(m sip.Message, description []byte) {
	if description != nil {
		m.AppendHeader(sip.NewHeader("Content-Type", sessionType))
	}
	m.SetBody(description)
}

// drop forgets the leg.
func (l *leg) drop() {
	l.trunk.x.mu.Lock()
	defer l.trunk.x.mu.Unlock()
	delete(l.trunk.x.legs, l.callID)
}

// giveUp ends the ringing: by CANCEL, or, where that crosses an answer, by BYE. It does not wait.
func (l *leg) giveUp() { l.stopping.Do(func() { close(l.stop) }) }

// ring sends the INVITE and follows it until its end.
func (l *leg) ring() {
	trunk, r := l.trunk, l.invite
	stop := l.stop
	var stopped <-chan time.Time
	for attempt := 0; ; attempt++ {
		tx, err := trunk.send(context.Background(), r)
		if err != nil {
			l.drop()
			l.tell(happening{leg: l, kind: lost, err: err})
			return
		}
		tx.OnRetransmission(func(res *sip.Response) { l.repeated(res) })
		again := l.follow(tx, attempt, &stop, &stopped)
		if again == nil {
			return
		}
		r = again
		l.mu.Lock()
		l.invite, l.seq = r, r.CSeq().SeqNo
		l.mu.Unlock()
	}
}

// follow reads the responses to one INVITE. It returns the next to be sent, which is this one with
// credentials, or nil.
func (l *leg) follow(tx sip.ClientTransaction, attempt int, stop *chan struct{}, stopped *<-chan time.Time) *sip.Request {
	silent := time.NewTimer(answerTimeout)
	defer silent.Stop()
	heard, cancelled := false, false
	cancel := func() {
		if heard && !cancelled {
			cancelled = true
			l.sendCancel()
		}
	}
	for {
		select {
		case res := <-tx.Responses():
			heard = true
			silent.Stop()
			switch {
			case res.IsProvisional():
				if *stop == nil {
					cancel()
				} else if res.StatusCode > sip.StatusTrying {
					l.tell(happening{leg: l, kind: rings, status: res.StatusCode, session: session(res)})
				}
				continue
			case res.IsSuccess():
				l.confirm(res)
				if *stop == nil { // the answer has crossed the end
					l.refuse(session(res))
					l.bye()
					return nil
				}
				l.tell(happening{leg: l, kind: answered, session: session(res)})
				return nil
			}
			if *stop != nil {
				l.mu.Lock()
				r, seq := l.invite, l.seq
				l.mu.Unlock()
				if again := l.trunk.authorized(r, res, attempt, func() uint32 { return seq + 1 }); again != nil {
					return again
				}
			}
			l.drop()
			l.tell(happening{leg: l, kind: refused, status: res.StatusCode})
			return nil
		case <-tx.Done():
			l.drop()
			l.tell(happening{leg: l, kind: lost, err: errors.Join(errSilent, tx.Err())})
			return nil
		case <-silent.C:
			tx.Terminate()
		case <-*stop:
			*stop = nil
			after := time.NewTimer(64 * sip.T1) // for which an end may take (RFC 3261, section 9.1)
			defer after.Stop()
			*stopped = after.C
			cancel()
		case <-*stopped:
			tx.Terminate()
		}
	}
}

var errSilent = errors.New("no answer from the trunk")

// sendCancel asks for the INVITE to be cancelled. It has the same branch as that.
func (l *leg) sendCancel() {
	l.mu.Lock()
	r := l.invite
	l.mu.Unlock()
	c := sip.NewRequest(sip.CANCEL, r.Recipient)
	c.AppendHeader(sip.HeaderClone(r.Via()))
	c.AppendHeader(sip.HeaderClone(r.From()))
	c.AppendHeader(sip.HeaderClone(r.To()))
	c.AppendHeader(sip.HeaderClone(r.CallID()))
	c.AppendHeader(&sip.CSeqHeader{SeqNo: r.CSeq().SeqNo, MethodName: sip.CANCEL})
	hops := sip.MaxForwardsHeader(70)
	c.AppendHeader(&hops)
	c.SetTransport(r.Transport())
	c.SetDestination(r.Destination())
	l.trunk.x.beside("cancelling", func() {
		ctx, cancel := context.WithTimeout(context.Background(), byeTimeout)
		defer cancel()
		l.trunk.client.Do(ctx, c, sipgo.ClientRequestBuild) // the INVITE's own response tells what came of it
	})
}
