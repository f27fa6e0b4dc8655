package sip

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
)

const (
	// unacknowledged is how long an operator's answer may wait for its ACK, which contains the visitor's session.
	// Phones hang up after 64*T1, which is 32 seconds (RFC 3261, section 13.3.1.4).
	unacknowledged = 28 * time.Second
	// defaultRing is how long a phone rings if the order does not say.
	defaultRing = 30 * time.Second
	// probeEvery is how often the phones in a call are asked whether they are still there.
	probeEvery = time.Minute
)

// call carries out an order. It calls the operator without a session, offers the visitor the session that the
// operator's phone has offered, and gives the operator's phone the answer of the visitor's (RFC 3725, section 4.1, flow
// I).
type call struct {
	x          *Exchange
	trunk      *trunk.Trunk
	order      telephony.Order
	happenings chan trunk.Happening
	news       chan telephony.Progress
	cancelled  chan struct{}
	cancelling sync.Once
	done       chan struct{}

	operator, visitor *trunk.Leg
	offer             []byte // from the operator's phone
	early             []byte // the answer of the visitor's phone before anybody picked it up
	talkingSince      time.Time
}

func newCall(x *Exchange, t *trunk.Trunk, o telephony.Order) *call {
	if o.Ring <= 0 {
		o.Ring = defaultRing
	}
	if o.CallerID == "" {
		o.CallerID = t.Settings.CallerID
	}
	return &call{
		x: x, trunk: t, order: o, happenings: make(chan trunk.Happening, 16), news: make(chan telephony.Progress, 4),
		cancelled: make(chan struct{}), done: make(chan struct{}),
	}
}

func (c *call) cancel() { c.cancelling.Do(func() { close(c.cancelled) }) }

// hear receives what happens to a leg.
func (c *call) hear(h trunk.Happening) {
	select {
	case c.happenings <- h:
	case <-c.done:
	}
}

// run carries out the order. It returns when the call has ended and its end has been reported.
func (c *call) run() {
	var told sync.WaitGroup
	told.Go(func() { aside.Do(c.x.logger, "telling of a call", c.report) })
	defer told.Wait()
	defer close(c.news)
	ended := c.carryOut()
	ended.Step, ended.At = telephony.Ended, time.Now()
	close(c.done)
	c.hangUp()
	c.x.logger.Info("a call has ended", zap.String("outcome", string(ended.Outcome)), zap.String("reason", ended.Reason), zap.Int64("talk", ended.Talk))
	c.tell(ended)
}

// hangUp ends both legs, and waits for that.
func (c *call) hangUp() {
	var ending sync.WaitGroup
	for _, l := range []*trunk.Leg{c.operator, c.visitor} {
		if l == nil {
			continue
		}
		l.GiveUp()
		ending.Go(func() { aside.Do(c.x.logger, "hanging up", l.Leave) })
	}
	ending.Wait()
}

// failed ends the order with a word for the platform's administrator.
func failed(outcome telephony.Outcome, who, why string) telephony.Progress {
	return telephony.Progress{Outcome: outcome, Reason: strings.TrimSpace(who + " " + why)}
}

// carryOut calls both, and returns the outcome.
func (c *call) carryOut() telephony.Progress {
	longest := time.NewTimer(c.trunk.Settings.Duration)
	defer longest.Stop()
	if ended := c.callOperator(); ended != nil {
		return *ended
	}
	c.tell(telephony.Progress{Step: telephony.VisitorRings})
	if ended := c.callVisitor(); ended != nil {
		return *ended
	}
	c.tell(telephony.Progress{Step: telephony.Talking})
	c.x.beside("watching a call", c.watch)
	reason := ""
	for reason == "" {
		select {
		case h := <-c.happenings:
			switch h.Kind {
			case trunk.HungUp:
				reason = c.name(h.Leg) + " hung up"
			case trunk.Vanished:
				reason = c.name(h.Leg) + " vanished"
			}
		case <-longest.C:
			reason = "too long"
		case <-c.cancelled:
			reason = "cancelled"
		}
	}
	return telephony.Progress{Outcome: telephony.Talked, Talk: int64(time.Since(c.talkingSince).Seconds()), Reason: reason}
}

// watch asks both phones from time to time whether they are still there. A phone that has lost its network does not
// hang up.
func (c *call) watch() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.x.beside("watching a call", func() {
		<-c.done
		cancel()
	})
	tick := time.NewTicker(c.x.probe)
	defer tick.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-tick.C:
		}
		for _, l := range []*trunk.Leg{c.operator, c.visitor} {
			if !l.Alive(ctx) {
				c.hear(trunk.Happening{Leg: l, Kind: trunk.Vanished})
				return
			}
		}
	}
}

func (c *call) name(l *trunk.Leg) string {
	if l == c.operator {
		return "operator"
	}
	return "visitor"
}

// callOperator returns nil after the operator has answered.
func (c *call) callOperator() *telephony.Progress {
	end := func(p telephony.Progress) *telephony.Progress { return &p }
	c.operator = c.trunk.Dial(c.order.Operator, c.order.CallerID, nil, c.hear)
	ring := time.NewTimer(c.order.Ring)
	defer ring.Stop()
	rung := false
	for {
		select {
		case h := <-c.happenings:
			switch h.Kind {
			case trunk.Rings:
				if !rung {
					rung = true
					c.tell(telephony.Progress{Step: telephony.OperatorRings})
				}
			case trunk.Answered:
				if c.offer = h.Session; c.offer == nil {
					c.operator.Acknowledge(nil)
					return end(failed(telephony.OrderFailed, "operator", "has offered no session"))
				}
				return nil
			case trunk.Refused:
				return end(failed(outcomeOf(h.Status, telephony.OperatorBusy, telephony.OperatorNoAnswer), "operator", fmt.Sprint(h.Status)))
			default:
				return end(failed(telephony.OrderFailed, "operator", "unreachable"))
			}
		case <-ring.C:
			return end(failed(telephony.OperatorNoAnswer, "operator", "did not answer"))
		case <-c.cancelled:
			return end(failed(telephony.OrderCancelled, "", "cancelled"))
		}
	}
}

// callVisitor returns nil after the two are connected.
func (c *call) callVisitor() *telephony.Progress {
	end := func(p telephony.Progress) *telephony.Progress { return &p }
	answeredAt := time.Now()
	c.visitor = c.trunk.Dial(c.order.Visitor, c.order.CallerID, c.offer, c.hear)
	ring := time.NewTimer(min(c.order.Ring, unacknowledged))
	defer ring.Stop()
	for {
		select {
		case h := <-c.happenings:
			switch {
			case h.Leg == c.operator && h.Kind == trunk.HungUp:
				return end(failed(telephony.OperatorNoAnswer, "operator", "hung up before the visitor answered"))
			case h.Leg == c.operator:
			case h.Kind == trunk.Rings:
				// The session of a provisional response is also that of the final one (RFC 3261, section 13.2.1). With
				// it, the operator hears the ringing, and no answer has to wait.
				if h.Session != nil && c.early == nil {
					c.early = h.Session
					c.operator.Acknowledge(c.early)
					ring.Reset(max(0, c.order.Ring-time.Since(answeredAt)))
				}
			case h.Kind == trunk.Answered:
				c.talkingSince = time.Now()
				return c.join(h.Session)
			case h.Kind == trunk.Refused:
				return end(failed(outcomeOf(h.Status, telephony.VisitorBusy, telephony.VisitorNoAnswer), "visitor", fmt.Sprint(h.Status)))
			case h.Kind == trunk.Lost:
				return end(failed(telephony.OrderFailed, "visitor", "unreachable"))
			}
		case <-ring.C:
			return end(failed(telephony.VisitorNoAnswer, "visitor", "did not answer"))
		case <-c.cancelled:
			return end(failed(telephony.OrderCancelled, "", "cancelled"))
		}
	}
}

// join gives the operator's phone the session of the visitor's.
func (c *call) join(answer []byte) *telephony.Progress {
	if answer == nil {
		answer = c.early
	}
	if answer == nil {
		c.visitor.Acknowledge(nil)
		p := failed(telephony.OrderFailed, "visitor", "has answered no session")
		return &p
	}
	if c.early == nil {
		c.operator.Acknowledge(answer)
	}
	c.visitor.Acknowledge(nil)
	c.operator.Join(c.visitor)
	c.visitor.Join(c.operator)
	if c.early != nil && !bytes.Equal(c.early, answer) { // another phone has answered
		if _, err := c.operator.Renew(answer); err != nil {
			p := failed(telephony.OrderFailed, "operator", "does not take the visitor's session")
			return &p
		}
	}
	return nil
}

// outcomeOf returns the outcome of a refusal.
func outcomeOf(status int, busy, silent telephony.Outcome) telephony.Outcome {
	switch status {
	case sip.StatusBusyHere, sip.StatusGlobalBusyEverywhere, sip.StatusGlobalDecline:
		return busy
	case sip.StatusRequestTimeout, sip.StatusTemporarilyUnavailable, sip.StatusRequestTerminated:
		return silent
	}
	return telephony.OrderFailed
}
