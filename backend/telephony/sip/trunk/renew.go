package trunk

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"
)

// renewTimeout bounds how long a phone may take to accept another session.
const renewTimeout = 20 * time.Second

// renewal is an INVITE in the dialog of a leg, and the answer to it.
type renewal struct {
	leg     *Leg
	seq     uint32
	session []byte
	status  int
	reason  string

	mu  sync.Mutex
	ack *sip.Request
}

var (
	errRefused = errors.New("the phone does not take another session")
	errSilent  = errors.New("no answer from the trunk")
)

// propose asks the phone of a dialog for another session. It offers one, or asks the phone for an offer. The caller
// acknowledges a successful response.
func (l *Leg) propose(offer []byte) (*renewal, error) {
	l.mu.Lock()
	l.seq++
	r := l.request(sip.INVITE, l.seq)
	l.mu.Unlock()
	setSession(r, offer)
	ctx, cancel := context.WithTimeout(context.Background(), renewTimeout)
	defer cancel()
	for attempt := 0; ; attempt++ {
		n := &renewal{leg: l, seq: r.CSeq().SeqNo}
		tx, err := l.trunk.send(ctx, r)
		if err != nil {
			return nil, err
		}
		tx.OnRetransmission(n.repeated)
		res, err := final(ctx, tx)
		if err != nil {
			tx.Terminate()
			return nil, err
		}
		if again := l.trunk.authorized(r, res, attempt, l.next); again != nil {
			r = again
			continue
		}
		n.status, n.reason, n.session = res.StatusCode, res.Reason, session(res)
		if contact := res.Contact(); contact != nil && res.IsSuccess() {
			l.mu.Lock()
			l.target = *contact.Address.Clone()
			l.mu.Unlock()
		}
		return n, nil
	}
}

// final returns the final response of the transaction.
func final(ctx context.Context, tx sip.ClientTransaction) (*sip.Response, error) {
	for {
		select {
		case res := <-tx.Responses():
			if !res.IsProvisional() {
				return res, nil
			}
		case <-tx.Done():
			return nil, errors.Join(errSilent, tx.Err())
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (n *renewal) success() bool { return n.status >= 200 && n.status < 300 }

// acknowledge sends the ACK, with a session if the phone has offered one.
func (n *renewal) acknowledge(description []byte) {
	n.leg.mu.Lock()
	ack := n.leg.request(sip.ACK, n.seq)
	n.leg.mu.Unlock()
	setSession(ack, description)
	n.mu.Lock()
	n.ack = ack.Clone()
	n.mu.Unlock()
	n.leg.write(ack)
}

func (n *renewal) repeated(res *sip.Response) {
	n.mu.Lock()
	ack := n.ack
	n.mu.Unlock()
	if ack != nil && res.IsSuccess() {
		n.leg.write(ack.Clone())
	}
}

// Renew gives the phone another session, which it must accept.
func (l *Leg) Renew(offer []byte) ([]byte, error) {
	n, err := l.propose(offer)
	if err != nil {
		return nil, err
	}
	if !n.success() {
		return nil, errRefused
	}
	n.acknowledge(nil)
	return n.session, nil
}

// Renewed passes an INVITE of the dialog to the other phone: somebody holds the call, changes the codec, or keeps the
// session alive (RFC 3261, section 14). It does not change offers and answers.
func (l *Leg) Renewed(r *sip.Request, tx sip.ServerTransaction) {
	offer := session(r)
	if offer == nil && len(r.Body()) > 0 {
		l.trunk.host.Respond(r, tx, sip.StatusUnsupportedMediaType, "Unsupported Media Type", sip.NewHeader("Accept", SessionType))
		return
	}
	other := l.partner()
	if other == nil || !l.begin(other) {
		l.trunk.host.Respond(r, tx, sip.StatusRequestPending, "Request Pending")
		return
	}
	defer l.finish(other)
	l.mu.Lock()
	if contact := r.Contact(); contact != nil {
		l.target = *contact.Address.Clone()
	}
	acks := make(chan *sip.Request, 1)
	l.acks, l.acksOf = acks, r.CSeq().SeqNo
	l.mu.Unlock()
	n, err := other.propose(offer)
	if err != nil {
		l.trunk.host.Respond(r, tx, sip.StatusNotAcceptableHere, "Not Acceptable Here")
		return
	}
	if !n.success() {
		l.trunk.host.Respond(r, tx, n.status, n.reason)
		return
	}
	if offer != nil {
		n.acknowledge(nil)
	}
	ack := l.respondSession(r, tx, n.session, acks)
	if offer != nil {
		return
	}
	var answer []byte
	if ack != nil {
		answer = session(ack)
	}
	if answer == nil && n.session != nil {
		answer = declined(n.session)
	}
	n.acknowledge(answer)
}

// respondSession answers an INVITE of a dialog with the session, and repeats that until the ACK comes (RFC 3261,
// section 13.3.1.4). It returns nil if no ACK comes.
func (l *Leg) respondSession(r *sip.Request, tx sip.ServerTransaction, description []byte, acks <-chan *sip.Request) *sip.Request {
	res := sip.NewResponseFromRequest(r, sip.StatusOK, "OK", nil)
	res.AppendHeader(&sip.ContactHeader{Address: l.trunk.contact})
	res.AppendHeader(sip.NewHeader("Allow", Allowed))
	setSession(res, description)
	late := time.NewTimer(64 * sip.T1)
	defer late.Stop()
	for pause := sip.T1; ; pause = min(2*pause, sip.T2) {
		if err := tx.Respond(res); err != nil {
			return nil
		}
		again := time.NewTimer(pause)
		select {
		case ack := <-acks:
			again.Stop()
			return ack
		case ack := <-tx.Acks():
			again.Stop()
			return ack
		case <-again.C:
		case <-late.C:
			again.Stop()
			return nil
		}
	}
}

// Acknowledged passes an ACK of the dialog to whoever waits for it.
func (l *Leg) Acknowledged(r *sip.Request) {
	l.mu.Lock()
	acks := l.acks
	if l.acksOf != r.CSeq().SeqNo {
		acks = nil
	}
	l.mu.Unlock()
	select {
	case acks <- r:
	default:
	}
}

// partner returns the leg of the other phone, or nil before the two are joined.
func (l *Leg) partner() *Leg {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.joined
}

// Join notes the leg of the other phone.
func (l *Leg) Join(other *Leg) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.joined = other
}

// begin says whether the sessions of both may change now: there is one change at a time.
func (l *Leg) begin(other *Leg) bool {
	for i, one := range []*Leg{l, other} {
		one.mu.Lock()
		busy := one.renewing || one.ended
		if !busy {
			one.renewing = true
		}
		one.mu.Unlock()
		if busy {
			if i == 1 {
				l.stopRenewing()
			}
			return false
		}
	}
	return true
}

func (l *Leg) finish(other *Leg) {
	l.stopRenewing()
	other.stopRenewing()
}

func (l *Leg) stopRenewing() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewing = false
}
