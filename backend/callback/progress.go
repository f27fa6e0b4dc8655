package callback

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

// Progress accepts a platform's report about an order. Reports may be repeated, in any order, on any node. The error is
// [ErrUnknown] for an unknown order.
func (c *Callbacks) Progress(ctx context.Context, p telephony.Progress) error {
	type place struct {
		site, id int64
		attempt  int
	}
	at, found, err := db.One(ctx, c.DB.Read(), func(p *place) []any { return []any{&p.site, &p.id, &p.attempt} },
		`SELECT site_id, callback_id, attempt FROM callback_orders WHERE order_id = $1`, p.Order)
	if err != nil {
		return fmt.Errorf("finding the callback of an order: %w", err)
	}
	if !found || p.Order == "" {
		return ErrUnknown
	}
	err = c.DB.Attempt(ctx, at.id, func(ctx context.Context, tx db.Tx) error {
		made, err := locked(ctx, tx, at.site, at.id)
		if err != nil {
			return err
		}
		known, err := made.told(ctx, tx, at.attempt, string(p.Step))
		if err != nil || known && !(made.concluded && p.Step == telephony.Ended) {
			return err
		}
		now := c.now()
		if at.attempt == made.Attempts && made.State != Closed {
			made.advance(p, now)
		}
		step := Step{At: clocked(p.At, now), Attempt: at.attempt, Kind: string(p.Step), Detail: string(p.Outcome)}
		if p.Reason != "" {
			step.Detail = string(cmp.Or(p.Outcome, telephony.OrderFailed)) + ": " + p.Reason
		}
		if err := made.note(ctx, tx, step); err != nil {
			return err
		}
		return made.store(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("noting the progress of a callback: %w", err)
	}
	return nil
}

// clocked returns the platform's time if it can be right.
func clocked(told, now time.Time) time.Time {
	if told.IsZero() || told.After(now) || now.Sub(told) > time.Hour {
		return now
	}
	return told
}

// ranks are the states of an attempt, in order.
var ranks = []State{CallingOperator, CallingVisitor, Talking}

// states are the states after each step.
var states = map[telephony.Step]State{
	telephony.OperatorRings: CallingOperator, telephony.VisitorRings: CallingVisitor, telephony.Talking: Talking,
}

// advance applies the platform's report to the attempt. A step before the known one changes nothing. If the service has
// only assumed that the attempt has ended, the platform's report counts.
func (c *Callback) advance(p telephony.Progress, now time.Time) {
	ended := !c.State.Calling()
	if ended && !c.concluded {
		return
	}
	if p.Step == telephony.Ended {
		c.ended(p, now)
		return
	}
	state, known := states[p.Step]
	if !known || !ended && slices.Index(ranks, state) < slices.Index(ranks, c.State) {
		return
	}
	c.State, c.Reason, c.placed, c.concluded, c.DueAt, c.EndedAt = state, "", true, false, time.Time{}, time.Time{}
	switch state {
	case CallingOperator:
		c.deadlineAt = now.Add(operatorDeadline)
	case CallingVisitor:
		c.deadlineAt = now.Add(visitorDeadline)
	case Talking:
		c.deadlineAt = now.Add(talkDeadline)
	}
}

// ended ends the attempt as the platform reports.
func (c *Callback) ended(p telephony.Progress, now time.Time) {
	outcome, guessed := p.Outcome, p.Outcome == ""
	switch {
	case c.State == Talking && outcome != telephony.Talked: // however it broke off
		outcome = telephony.Talked
	case guessed && c.State == CallingVisitor:
		outcome = telephony.VisitorNoAnswer
	case guessed:
		outcome = telephony.OperatorNoAnswer
	}
	if guessed && c.concluded {
		return // it is no better than the conclusion
	}
	c.end(outcome, p.Talk, now)
	c.concluded = guessed
}

// end ends the attempt, for good or until the next one.
func (c *Callback) end(outcome telephony.Outcome, talk int64, now time.Time) {
	c.Reason, c.deadlineAt, c.DueAt, c.EndedAt, c.placed, c.Talk = string(outcome), time.Time{}, time.Time{}, now, true, telephony.Untold
	switch {
	case outcome == telephony.Talked:
		c.State, c.Talk = Done, talk
	case outcome == telephony.OrderCancelled:
		c.State = Failed
	case c.Attempts < c.Most:
		c.State, c.DueAt, c.EndedAt = Waiting, now.Add(c.Pause), time.Time{}
	case outcome == telephony.OrderFailed || outcome == PlatformError || outcome == PlatformSilent:
		c.State = Failed
	default:
		c.State = NoAnswer
	}
}
