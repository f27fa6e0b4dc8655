package trunk

import (
	"context"
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
	// overtaking is how long a BYE waits behind an ACK. Messages may overtake each other, and a phone can make nothing of
	// a BYE that comes first.
	overtaking = 100 * time.Millisecond
	// Allowed are the methods that are understood.
	Allowed = "INVITE, ACK, CANCEL, BYE, OPTIONS"
)

// Happening is what a leg tells.
type Happening struct {
	Leg  *Leg
	Kind Happened
	// Status is the code of the response, and Session what the phone has offered or answered in it.
	Status  int
	Session []byte
}

// Happened is what has happened to a leg.
type Happened int

// What happens.
const (
	Rings    Happened = iota
	Answered          // with a session
	Refused           // by the status
	Lost              // nothing was heard
	HungUp            // by whoever is there
	Vanished          // it has not answered any more
)

// Leg is one of the two phones of a call: an INVITE that is sent, and the dialog that comes of it.
type Leg struct {
	// CallID and Tag are by which messages of its dialog are known.
	CallID, Tag string

	trunk    *Trunk
	tell     func(Happening)
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
	joined    *Leg                // the other phone's
	renewing  bool                // a session is being changed
	acks      chan<- *sip.Request // where the ACK of the number acksOf is waited for
	acksOf    uint32
}

// Dial calls the number, and offers the session unless it is nil. What comes of that is told, from another goroutine.
func (t *Trunk) Dial(number, callerID string, offer []byte, tell func(Happening)) *Leg {
	l := &Leg{
		trunk: t, tell: tell, CallID: random(), Tag: random()[:16], seq: 1,
		stop: make(chan struct{}), over: make(chan struct{}),
	}
	if callerID == "" {
		callerID = t.Settings.User
	}
	r := sip.NewRequest(sip.INVITE, t.Address(t.Settings.Dialled(number)))
	from := &sip.FromHeader{Address: t.Address(callerID), Params: sip.NewParams()}
	from.Params.Add("tag", l.Tag)
	id, hops := sip.CallIDHeader(l.CallID), sip.MaxForwardsHeader(70)
	r.AppendHeader(from)
	r.AppendHeader(&sip.ToHeader{Address: r.Recipient})
	r.AppendHeader(&id)
	r.AppendHeader(&sip.CSeqHeader{SeqNo: l.seq, MethodName: sip.INVITE})
	r.AppendHeader(&hops)
	r.AppendHeader(&sip.ContactHeader{Address: t.contact})
	r.AppendHeader(sip.NewHeader("Allow", Allowed))
	setSession(r, offer)
	t.toTrunk(r)
	l.invite = r
	t.host.add(l)
	t.host.Beside("ringing", func() {
		defer close(l.over)
		l.ring()
	})
	return l
}

// setSession puts the description into the message.
func setSession(m sip.Message, description []byte) {
	if description != nil {
		m.AppendHeader(sip.NewHeader("Content-Type", SessionType))
	}
	m.SetBody(description)
}

// GiveUp ends the ringing: by CANCEL, or, where that crosses an answer, by BYE. It does not wait.
func (l *Leg) GiveUp() { l.stopping.Do(func() { close(l.stop) }) }

// ring sends the INVITE and follows it until its end.
func (l *Leg) ring() {
	trunk, r := l.trunk, l.invite
	stop := l.stop
	var stopped <-chan time.Time
	for attempt := 0; ; attempt++ {
		tx, err := trunk.send(context.Background(), r)
		if err != nil {
			l.trunk.host.drop(l)
			l.tell(Happening{Leg: l, Kind: Lost})
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
func (l *Leg) follow(tx sip.ClientTransaction, attempt int, stop *chan struct{}, stopped *<-chan time.Time) *sip.Request {
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
					l.tell(Happening{Leg: l, Kind: Rings, Status: res.StatusCode, Session: session(res)})
				}
				continue
			case res.IsSuccess():
				l.confirm(res)
				if *stop == nil { // the answer has crossed the end
					l.refuse(session(res))
					l.bye()
					return nil
				}
				l.tell(Happening{Leg: l, Kind: Answered, Session: session(res)})
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
			l.trunk.host.drop(l)
			l.tell(Happening{Leg: l, Kind: Refused, Status: res.StatusCode})
			return nil
		case <-tx.Done():
			l.trunk.host.drop(l)
			l.tell(Happening{Leg: l, Kind: Lost})
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

// sendCancel asks for the INVITE to be cancelled. It has the same branch as that.
func (l *Leg) sendCancel() {
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
	l.trunk.host.Beside("cancelling", func() {
		ctx, cancel := context.WithTimeout(context.Background(), byeTimeout)
		defer cancel()
		_, _ = l.trunk.client.Do(ctx, c, sipgo.ClientRequestBuild) // the INVITE's own response tells what came of it
	})
}
