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
)

const (
	// unacknowledged is how long an operator's answer may wait for its ACK, which brings the
	// visitor's session. Phones hang up after 64*T1, which is 32 seconds (RFC 3261, section
	// 13.3.1.4).
	unacknowledged = 28 * time.Second
	// defaultRing is for how long a phone rings when the order does not say.
	defaultRing = 30 * time.Second
	// probeEvery is how often phones that talk are asked whether they are still there.
	probeEvery = time.Minute
	// overtaking is how long a BYE waits behind an ACK. Messages may overtake each other, and a
	// phone can make nothing of a BYE that comes first.
	overtaking = 100 * time.Millisecond
	// tellTimeout bounds one attempt to tell of a call, tellPause and tellAttempts the others.
	tellTimeout  = 10 * time.Second
	tellPause    = time.Second
	tellAttempts = 7
)

// call carries out an order: it calls the operator without a session, offers the visitor the one that
// the operator's phone has offered, and gives the operator's phone what the visitor's has answered
// (RFC 3725, section 4.1, flow I).
type call struct {
	trunk      *Trunk
	order      telephony.Order
	happenings chan happening
	news       chan telephony.Progress
	cancelled  chan struct{}
	cancelling sync.Once
	done       chan struct{}

	operator, visitor *leg
	offer             []byte // of the operator's phone
	early             []byte // what the visitor's phone has answered before it was taken up
	talkingSince      time.Time
}

func newCall(t *Trunk, o telephony.Order) *call {
	if o.Ring <= 0 {
		o.Ring = defaultRing
	}
	if o.CallerID == "" {
		o.CallerID = t.settings.CallerID
	}
	return &call{
		trunk: t, order: o, happenings: make(chan happening, 16), news: make(chan telephony.Progress, 4),
		cancelled: make(chan struct{}), done: make(chan struct{}),
	}
}

func (c *call) cancel() { c.cancelling.Do(func() { close(c.cancelled) }) }

// hear takes what a leg tells.
func (c *call) hear(h happening) {
	select {
	case c.happenings <- h:
	case <-c.done:
	}
}

// tell tells the desk how far the call has come.
func (c *call) tell(p telephony.Progress) {
	if p.Order = c.order.ID; p.At.IsZero() {
		p.At = time.Now()
	}
	if p.Outcome != telephony.Talked {
		p.Talk = telephony.Untold
	}
	c.news <- p // which has room for all that is told of a call
}

// run carries out the order, and returns when all is over and told.
func (c *call) run() {
	var told sync.WaitGroup
	told.Go(func() { aside.Do(c.trunk.x.logger, "telling of a call", c.report) })
	defer told.Wait()
	defer close(c.news)
	ended := c.carryOut()
	ended.Step, ended.At = telephony.Ended, time.Now()
	close(c.done)
	c.hangUp()
	c.trunk.x.logger.Info("a call has ended", zap.String("outcome", string(ended.Outcome)), zap.String("reason", ended.Reason), zap.Int64("talk", ended.Talk))
	c.tell(ended)
}

// hangUp ends what is left of both calls, and waits until that is done.
func (c *call) hangUp() {
	var ending sync.WaitGroup
	for _, l := range []*leg{c.operator, c.visitor} {
		if l == nil {
			continue
		}
		l.giveUp()
		ending.Go(func() { aside.Do(c.trunk.x.logger, "hanging up", l.leave) })
	}
	ending.Wait()
}

// failed ends the order with a word for who looks after the platform.
func failed(outcome telephony.Outcome, who, why string) telephony.Progress {
	return telephony.Progress{Outcome: outcome, Reason: strings.TrimSpace(who + " " + why)}
}

// carryOut calls both, and returns how it has ended.
func (c *call) carryOut() telephony.Progress {
	longest := time.NewTimer(c.trunk.settings.Duration)
	defer longest.Stop()
	if ended := c.callOperator(); ended != nil {
		return *ended
	}
	c.tell(telephony.Progress{Step: telephony.VisitorRings})
	if ended := c.callVisitor(); ended != nil {
		return *ended
	}
	c.tell(telephony.Progress{Step: telephony.Talking})
	c.trunk.x.beside("watching a call", c.watch)
	reason := ""
	for reason == "" {
		select {
		case h := <-c.happenings:
			switch h.kind {
			case hungUp:
				reason = c.name(h.leg) + " hung up"
			case vanished:
				reason = c.name(h.leg) + " vanished"
			}
		case <-longest.C:
			reason = "too long"
		case <-c.cancelled:
			reason = "cancelled"
		}
	}
	return telephony.Progress{Outcome: telephony.Talked, Talk: int64(time.Since(c.talkingSince).Seconds()), Reason: reason}
}

// watch asks both phones now and then whether they are still there. One that has lost its network does
// not hang up.
func (c *call) watch() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.trunk.x.beside("watching a call", func() {
		<-c.done
		cancel()
	})
	tick := time.NewTicker(c.trunk.probe)
	defer tick.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-tick.C:
		}
		for _, l := range []*leg{c.operator, c.visitor} {
			if !l.alive(ctx) {
				c.hear(happening{leg: l, kind: vanished})
				return
			}
		}
	}
}

func (c *call) name(l *leg) string {
	if l == c.operator {
		return "operator"
	}
	return "visitor"
}

// callOperator returns nil once the operator has answered.
func (c *call) callOperator() *telephony.Progress {
	end := func(p telephony.Progress) *telephony.Progress { return &p }
	c.operator = c.trunk.dial(c.order.Operator, c.order.CallerID, nil, c.hear)
	ring := time.NewTimer(c.order.Ring)
	defer ring.Stop()
	rung := false
	for {
		select {
		case h := <-c.happenings:
			switch h.kind {
			case rings:
				if !rung {
					rung = true
					c.tell(telephony.Progress{Step: telephony.OperatorRings})
				}
			case answered:
				if c.offer = h.session; c.offer == nil {
					c.operator.acknowledge(nil)
					return end(failed(telephony.OrderFailed, "operator", "has offered no session"))
				}
				return nil
			case refused:
				return end(failed(outcomeOf(h.status, telephony.OperatorBusy, telephony.OperatorNoAnswer), "operator", fmt.Sprint(h.status)))
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

// callVisitor returns nil once both are joined.
func (c *call) callVisitor() *telephony.Progress {
	end := func(p telephony.Progress) *telephony.Progress { return &p }
	answeredAt := time.Now()
	c.visitor = c.trunk.dial(c.order.Visitor, c.order.CallerID, c.offer, c.hear)
	ring := time.NewTimer(min(c.order.Ring, unacknowledged))
	defer ring.Stop()
	for {
		select {
		case h := <-c.happenings:
			switch {
			case h.leg == c.operator && h.kind == hungUp:
				return end(failed(telephony.OperatorNoAnswer, "operator", "hung up before the visitor answered"))
			case h.leg == c.operator:
			case h.kind == rings:
				// The session of a response that is not final is that of the final one
				// (RFC 3261, section 13.2.1). With it the operator hears how it rings,
				// and has no answer that waits.
				if h.session != nil && c.early == nil {
					c.early = h.session
					c.operator.acknowledge(c.early)
					ring.Reset(max(0, c.order.Ring-time.Since(answeredAt)))
				}
			case h.kind == answered:
				c.talkingSince = time.Now()
				return c.join(h.session)
			case h.kind == refused:
				return end(failed(outcomeOf(h.status, telephony.VisitorBusy, telephony.VisitorNoAnswer), "visitor", fmt.Sprint(h.status)))
			case h.kind == lost:
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
		c.visitor.acknowledge(nil)
		p := failed(telephony.OrderFailed, "visitor", "has answered no session")
		return &p
	}
	if c.early == nil {
		c.operator.acknowledge(answer)
	}
	c.visitor.acknowledge(nil)
	c.operator.join(c.visitor)
	c.visitor.join(c.operator)
	if c.early != nil && !bytes.Equal(c.early, answer) { // another phone has taken it
		if _, err := c.operator.renew(answer); err != nil {
			p := failed(telephony.OrderFailed, "operator", "does not take the visitor's session")
			return &p
		}
	}
	return nil
}

// outcomeOf is what a refusal means.
func outcomeOf(status int, busy, silent telephony.Outcome) telephony.Outcome {
	switch status {
	case sip.StatusBusyHere, sip.StatusGlobalBusyEverywhere, sip.StatusGlobalDecline:
		return busy
	case sip.StatusRequestTimeout, sip.StatusTemporarilyUnavailable, sip.StatusRequestTerminated:
		return silent
	}
	return telephony.OrderFailed
}

// report tells the desk what is told of the call, in its order, again and again where the desk cannot
// take it.
func (c *call) report() {
	for p := range c.news {
		pause := tellPause
		for attempt := 1; ; attempt++ {
			err := c.reportOnce(p)
			if err == nil {
				break
			}
			if attempt == tellAttempts {
				c.trunk.x.logger.Error("how a call goes on could not be told", zap.String("step", string(p.Step)), zap.Error(err))
				break
			}
			time.Sleep(pause)
			pause *= 2
		}
	}
}

func (c *call) reportOnce(p telephony.Progress) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), tellTimeout)
	defer cancel()
	desk := c.trunk.x.desk.Load()
	if desk.Progress == nil {
		return nil
	}
	return desk.Progress(ctx, p)
}
