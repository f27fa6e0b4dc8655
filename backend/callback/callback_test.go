package callback_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/callback/request"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

func TestACallFromBeginningToEnd(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		require.Equal(t, callback.Result{Status: callback.Sent, Code: callback.CodeSent}, o.ask("8 (912) 345-67-89", site))
		orders := o.pbx.orders()
		require.Len(t, orders, 1)
		require.Equal(t, "74951234567", orders[0].Operator)
		require.Equal(t, "79123456789", orders[0].Visitor)
		require.Equal(t, "shop", orders[0].Site)
		require.GreaterOrEqual(t, len(orders[0].ID), 20)
		require.Equal(t, callback.CallingOperator, o.last().State)

		o.tell(telephony.OperatorRings)
		require.Equal(t, callback.CallingOperator, o.last().State)
		o.tell(telephony.VisitorRings)
		require.Equal(t, callback.CallingVisitor, o.last().State)
		o.tell(telephony.Talking)
		require.Equal(t, callback.Talking, o.last().State)
		o.tell(telephony.Ended, telephony.Talked)
		o.tell(telephony.Ended, telephony.Talked) // again
		done := o.last()
		require.Equal(t, callback.Done, done.State)
		require.EqualValues(t, 42, done.Talk)
		require.Equal(t, []string{"asked", "placed", "operator_rings", "visitor_rings", "talking", "ended"}, o.kinds(done.ID))
		card, err := o.visits.Card(t.Context(), shop, o.visitor.Visitor)
		require.NoError(t, err)
		require.Len(t, card.Phones, 1, "the number is one of the visitor's contacts")
		require.ErrorIs(t, o.Progress(t.Context(), telephony.Progress{Order: "nobody's", Step: telephony.Talking}), callback.ErrUnknown)
	})
}

// In whatever order a platform tells it, a call has come as far as it has.
func TestProgressInAnyOrder(t *testing.T) {
	type told struct {
		step    telephony.Step
		outcome telephony.Outcome
	}
	whole := []told{{telephony.OperatorRings, ""}, {telephony.VisitorRings, ""}, {telephony.Talking, ""}, {telephony.Ended, telephony.Talked}}
	each(t, func(t *testing.T, o *office) {
		n := 0
		for a := range whole {
			for b := range whole {
				for c := range whole {
					d := 6 - a - b - c
					if a == b || a == c || b == c {
						continue
					}
					n++
					o.pass(24 * time.Hour) // past the limits
					require.Equal(t, callback.Sent, o.ask(number(n), site).Status)
					for _, i := range []int{a, b, c, d, a, d} {
						o.tell(whole[i].step, whole[i].outcome)
					}
					require.Equal(t, callback.Done, o.last().State, "%d %d %d %d", a, b, c, d)
				}
			}
		}
		require.Equal(t, 24, n)
	})
}

func TestNoAnswerIsRepeated(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		repeat := 2
		s := site
		s.Repeat, s.PauseSeconds = &repeat, 60
		require.Equal(t, callback.Sent, o.ask("+7 912 345-67-89", s).Status)
		for attempt, outcome := range []telephony.Outcome{telephony.OperatorNoAnswer, telephony.VisitorBusy, telephony.VisitorNoAnswer} {
			require.Equal(t, callback.CallingOperator, o.last().State)
			require.Equal(t, attempt+1, o.last().Attempts)
			require.Len(t, o.pbx.orders(), attempt+1)
			o.tell(telephony.Ended, outcome)
			require.Equal(t, string(outcome), o.last().Reason)
			o.look()
			require.Len(t, o.pbx.orders(), attempt+1, "not before the pause is over")
			o.pass(61 * time.Second)
			o.look()
		}
		require.Equal(t, callback.NoAnswer, o.last().State)
		require.Len(t, o.pbx.orders(), 3)
		ids := map[string]bool{}
		for _, order := range o.pbx.orders() {
			ids[order.ID] = true
		}
		require.Len(t, ids, 3, "each attempt is an order of its own")
		o.tellOf(o.pbx.orders()[0].ID, telephony.Talking) // much too late
		require.Equal(t, callback.NoAnswer, o.last().State)
	})
}

func TestSilentPlatform(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		s := site
		s.Repeat = new(int)
		for n, told := range [][]telephony.Step{{}, {telephony.OperatorRings}, {telephony.VisitorRings}, {telephony.Talking}} {
			o.pass(24 * time.Hour)
			require.Equal(t, callback.Sent, o.ask(number(n), s).Status)
			for _, step := range told {
				o.tell(step)
			}
			if len(told) > 0 && told[0] == telephony.Talking {
				o.pass(3 * time.Hour)
				o.look()
				require.Equal(t, callback.Talking, o.last().State, "some talk long")
				o.pass(2 * time.Hour)
				o.look()
				require.Equal(t, callback.Done, o.last().State)
				continue
			}
			o.pass(20 * time.Second)
			o.look()
			require.True(t, o.last().State.Calling())
			o.pass(2 * time.Minute)
			o.look()
			require.Equal(t, callback.Failed, o.last().State, "%v", told)
			require.Equal(t, callback.PlatformSilent, o.last().Reason)
			// It was only slow: its word counts more than the conclusion.
			o.tell(telephony.Talking)
			require.Equal(t, callback.Talking, o.last().State)
			o.tell(telephony.Ended, telephony.Talked)
			require.Equal(t, callback.Done, o.last().State)
		}
		require.Eventually(t, func() bool {
			o.pbx.mu.Lock()
			defer o.pbx.mu.Unlock()
			return len(o.pbx.cancelled) == 4
		}, time.Minute, 10*time.Millisecond, "what may still ring is cancelled")
	})
}

func TestPlatformThatDoesNotSayHowItEnded(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		s := site
		s.Repeat = new(int)
		for n, c := range []struct {
			told  []telephony.Step
			state callback.State
		}{{nil, callback.NoAnswer}, {[]telephony.Step{telephony.VisitorRings}, callback.NoAnswer}, {[]telephony.Step{telephony.Talking}, callback.Done}} {
			require.Equal(t, callback.Sent, o.ask(number(n), s).Status)
			for _, step := range c.told {
				o.tell(step)
			}
			o.tell(telephony.Ended)
			require.Equal(t, c.state, o.last().State)
		}
		// The guess gives way to the word.
		require.Equal(t, callback.Sent, o.ask(number(9), s).Status)
		o.tell(telephony.Ended)
		o.tell(telephony.Ended, telephony.Talked)
		require.Equal(t, callback.Done, o.last().State)
	})
}

func TestPlatformThatFails(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.pbx.set(func(p *pbx) { p.fails = errors.New("no lines") })
		require.Equal(t, callback.Result{Status: callback.Unreachable, Code: callback.PlatformError}, o.ask(number(1), site))
		require.Equal(t, callback.Failed, o.last().State, "it is kept")
		o.look()
		require.Len(t, o.pbx.orders(), 1, "whoever was told of the failure is not called")

		o.pbx.set(func(p *pbx) { p.fails, p.hangs = nil, true })
		require.Equal(t, callback.Unreachable, o.ask(number(2), site).Status)
		o.pbx.set(func(p *pbx) { require.Less(t, p.given, 9*time.Second, "it does not wait as long as the queue") })
		// It had taken the order, and says so later.
		o.tell(telephony.OperatorRings)
		require.Equal(t, callback.CallingOperator, o.last().State)

		// By hand it is called all the same.
		o.pbx.set(func(p *pbx) { p.hangs = false })
		failed := o.all()[1]
		result, err := o.Call(t.Context(), shop, failed.ID, "ann", site)
		require.NoError(t, err)
		require.Equal(t, callback.Sent, result.Status)
		again, err := o.Get(t.Context(), shop, failed.ID)
		require.NoError(t, err)
		require.Equal(t, callback.CallingOperator, again.State)
		require.Equal(t, 2, again.Attempts)
	})
}

func TestPlatformFailsLater(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		later := func(a *callback.Asked) { a.Time = o.now().Add(time.Hour) }
		require.Equal(t, callback.Result{Status: callback.Sent, Code: callback.CodeLater}, o.ask(number(1), site, later))
		require.Empty(t, o.pbx.orders())
		o.pbx.set(func(p *pbx) { p.fails = errors.New("no lines") })
		o.pass(time.Hour + time.Second)
		for n := range 3 {
			o.look()
			require.Len(t, o.pbx.orders(), n+1, "it is tried again")
			o.pass(6 * time.Minute)
		}
		o.look()
		require.Equal(t, callback.Failed, o.last().State)
		require.Len(t, o.pbx.orders(), 3)
	})
}

// A node dies while the platform is asked: another one goes on.
func TestRestartInTheMiddle(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.pbx.set(func(p *pbx) { p.hangs = true })
		dying, kill := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			o.Order(dying, callback.Asked{Request: request.Request{Phone: number(1)}, SiteID: shop, Ref: o.visitor, ID: "dies", Region: "RU"}, site)
		}()
		require.Eventually(t, func() bool { return len(o.pbx.orders()) == 1 }, time.Minute, 5*time.Millisecond)
		first := o.last()
		kill()
		<-ended
		// What a node that dies does not write is taken back.
		require.NoError(t, o.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE callbacks SET state = 'calling_operator', reason = '', ended_at = 0, placed = FALSE, concluded = FALSE, placing_at = 1`)
			return err
		}))
		o.pbx.set(func(p *pbx) { p.hangs = false })
		restarted := open(t, o.db)
		restarted.diallers = []telephony.Dialler{o.pbx}
		require.NoError(t, restarted.Look(t.Context(), shop, first.ID))
		orders := o.pbx.orders()
		require.Len(t, orders, 2)
		require.Equal(t, orders[0].ID, orders[1].ID, "it is the same order: the platform places one call")
		o.tell(telephony.Talking)
		require.Equal(t, callback.Talking, restarted.last().State)
	})
}

// The queue itself carries out what is due.
func TestQueueCallsAtItsTime(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.run()
		require.Equal(t, callback.CodeLater, o.ask(number(1), site, func(a *callback.Asked) { a.Time = time.Now().Add(10 * time.Second) }).Code)
		require.Eventually(t, func() bool { return len(o.pbx.orders()) == 1 }, time.Minute, 10*time.Millisecond)
		require.Eventually(t, func() bool { return o.last().State == callback.CallingOperator }, time.Minute, 10*time.Millisecond)
	})
}
