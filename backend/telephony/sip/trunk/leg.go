package trunk

import (
	"context"
	"sync"
	"time"

	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"
)

const (
	// answerTimeout is how long the trunk may leave a call without any response, even a provisional one.
	answerTimeout = 10 * time.Second
	// byeTimeout bounds the wait for the end of a call.
	byeTimeout = 4 * time.Second
	// aliveTimeout bounds how long a phone may take to answer that it is still there.
	aliveTimeout = 20 * time.Second
	// overtaking is how long a BYE waits after an ACK. Messages may overtake each other, and a phone cannot use a BYE
	// that comes first.
	overtaking = 100 * time.Millisecond
	// Allowed are the supported methods.
	Allowed = "INVITE, ACK, CANCEL, BYE, OPTIONS"
)

// Happening is something that has happened to a leg.
type Happening struct {
	Leg  *Leg
	Kind Happened
	// Status is the code of the response. Session is what the phone has offered or answered in it.
	Status  int
	Session []byte
}

// Happened says what has happened to a leg.
type Happened int

// What can happen.
const (
	Rings    Happened = iota
	Answered          // with a session
	Refused           // with the status
	Lost              // there was no response
	HungUp            // by the other side
	Vanished          // it does not answer any more
)

// Leg is one of the two phones of a call: an INVITE, and the dialog that follows.
type Leg struct {
	// CallID and Tag identify the messages of its dialog.
	CallID, Tag string

	trunk    *Trunk
	tell     func(Happening)
	stop     chan struct{} // closed when the phone must stop ringing
	stopping sync.Once
	over     chan struct{} // closed when ringing has ended in any way

	mu        sync.Mutex
	invite    *sip.Request // the last one that was sent
	remoteTag string       // of the dialog; empty until there is one
	answer    []byte       // the session of the final response, or nil
	target    sip.Uri
	routes    []string
	seq       uint32 // of our last request
	remoteSeq uint32 // of their last request
	ack       *sip.Request
	ended     bool                // BYE has been sent or received
	joined    *Leg                // the leg of the other phone
	renewing  bool                // a session is being changed
	acks      chan<- *sip.Request // receives the ACK of the number acksOf
	acksOf    uint32
}

// Dial calls the number, and offers the session unless it is nil. Another goroutine reports what happens.
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

// setSession puts the session's description into the message.
func setSession(m sip.Message, description []byte) {
	if description != nil {
		m.AppendHeader(sip.NewHeader("Content-Type", SessionType))
	}
	m.SetBody(description)
}

// GiveUp ends the ringing with CANCEL, or with BYE if an answer crosses it. It does not wait.
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

// follow reads the responses to one INVITE. It returns the next INVITE to send, which is the same with credentials, or
// nil.
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
			after := time.NewTimer(64 * sip.T1) // an end may take so long (RFC 3261, section 9.1)
			defer after.Stop()
			*stopped = after.C
			cancel()
		case <-*stopped:
			tx.Terminate()
		}
	}
}

// sendCancel cancels the INVITE. CANCEL has the same branch.
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
		_, _ = l.trunk.client.Do(ctx, c, sipgo.ClientRequestBuild) // the response to the INVITE says what came of it
	})
}
