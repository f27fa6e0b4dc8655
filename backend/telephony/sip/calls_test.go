package sip

import (
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/siptest"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
)

// scripts joins parts of a scenario.
func scripts(parts ...string) []string { return parts }

// TestHowCallsEnd has phones behave in every way. The trunk asks for a password.
func TestHowCallsEnd(t *testing.T) {
	proxy := siptest.StartProxy(t, siptest.Trunk{User: trunkUser, Password: trunkPassword})
	soon := siptest.Waits(200 * time.Millisecond) // what is sent at once may come in any order
	answers := soon + siptest.Answers(20000)
	answered := scripts(siptest.Invited, siptest.Ringing, answers, siptest.Acknowledged, siptest.HungUp)
	silent := scripts(siptest.Invited, siptest.Ringing, siptest.Cancelled)
	for _, test := range []struct {
		name              string
		operator, visitor []string // scenarios; nil for a phone that is not there
		ring              time.Duration
		cancel            string // the step after which the order is cancelled
		steps             []string
	}{
		{name: "operator busy", operator: scripts(siptest.Invited, siptest.Busy), steps: []string{"operator_busy"}},
		{name: "operator declines", operator: scripts(siptest.Invited, siptest.Ringing, soon, siptest.Declines), steps: []string{"operator_rings", "operator_busy"}},
		{name: "operator silent", operator: silent, ring: 8 * time.Second, steps: []string{"operator_rings", "operator_no_answer"}},
		{name: "no operator", steps: []string{"failed"}},
		{name: "visitor busy", operator: answered, visitor: scripts(siptest.Invited, siptest.Busy), steps: []string{"operator_rings", "visitor_rings", "visitor_busy"}},
		{name: "visitor silent", operator: answered, visitor: silent, ring: 8 * time.Second, steps: []string{"operator_rings", "visitor_rings", "visitor_no_answer"}},
		{name: "no visitor", operator: answered, steps: []string{"operator_rings", "visitor_rings", "failed"}},
		{
			name: "visitor hangs up", operator: answered,
			visitor: scripts(siptest.Invited, siptest.Ringing, answers, siptest.Acknowledged, siptest.Waits(time.Second), siptest.HangsUp),
			steps:   []string{"operator_rings", "visitor_rings", "talking", "talked"},
		},
		{
			name: "operator hangs up", operator: scripts(siptest.Invited, siptest.Ringing, answers, siptest.Acknowledged, siptest.Waits(time.Second), siptest.HangsUp),
			visitor: answered, steps: []string{"operator_rings", "visitor_rings", "talking", "talked"},
		},
		{
			name: "operator gives up", operator: scripts(siptest.Invited, answers, siptest.Waits(4*time.Second), siptest.HangsUp),
			visitor: silent, steps: []string{"visitor_rings", "operator_no_answer"},
		},
		{
			name: "early session", operator: answered,
			visitor: scripts(siptest.Invited, siptest.Early(20002), siptest.Waits(time.Second), siptest.Answers(20002), siptest.Acknowledged, siptest.Waits(time.Second), siptest.HangsUp),
			steps:   []string{"operator_rings", "visitor_rings", "talking", "talked"},
		},
		{
			name: "another session than the early one", operator: scripts(siptest.Invited, answers, siptest.Acknowledged, siptest.Invited, siptest.Answers(20000), siptest.Acknowledged, siptest.HungUp),
			visitor: scripts(siptest.Invited, siptest.Early(20002), siptest.Waits(time.Second), siptest.Answers(20004), siptest.Acknowledged, siptest.Waits(time.Second), siptest.HangsUp),
			steps:   []string{"visitor_rings", "talking", "talked"},
		},
		{
			name: "long sessions", operator: scripts(siptest.Invited, siptest.AnswersLong(20000), siptest.Acknowledged, siptest.HungUp),
			visitor: scripts(siptest.Invited, siptest.AnswersLong(20002), siptest.Acknowledged, siptest.Waits(time.Second), siptest.HangsUp),
			steps:   []string{"visitor_rings", "talking", "talked"},
		},
		{name: "cancelled while the operator rings", operator: silent, cancel: "operator_rings", steps: []string{"operator_rings", "cancelled"}},
		{name: "cancelled while the visitor rings", operator: answered, visitor: silent, cancel: "visitor_rings", steps: []string{"operator_rings", "visitor_rings", "cancelled"}},
		{name: "cancelled while they talk", operator: answered, visitor: answered, cancel: "talking", steps: []string{"operator_rings", "visitor_rings", "talking", "talked"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			id := strconv.Itoa(siptest.Port(t)) // numbers of the test's own
			o := telephony.Order{ID: "o" + id, Operator: "749" + id + "001", Visitor: "791" + id + "002", CallerID: "74951234567", Ring: 15 * time.Second}
			if test.ring > 0 {
				o.Ring = test.ring
			}
			var phones []*siptest.Scripted
			if test.operator != nil {
				phones = append(phones, siptest.StartScripted(t, proxy, o.Operator, test.operator...))
			}
			if test.visitor != nil {
				phones = append(phones, siptest.StartScripted(t, proxy, o.Visitor, test.visitor...))
			}
			d := newRecorder()
			x := exchange(t, settings(t, proxy.Port), d)
			require.NoError(t, x.Place(t.Context(), o))
			if test.cancel != "" {
				require.Eventually(t, func() bool {
					steps := d.steps(o.ID)
					return len(steps) > 0 && steps[len(steps)-1] == test.cancel
				}, patience, 20*time.Millisecond)
				phones[len(phones)-1].AwaitInvitation() // the step is told before the visitor is called
				require.NoError(t, x.Cancel(t.Context(), o.ID))
			}
			last := d.last(t, o.ID)
			t.Log(last.Reason)
			require.Equal(t, test.steps, d.steps(o.ID))
			for _, phone := range phones {
				phone.Await()
			}
			require.Eventually(t, func() bool { return x.State().Calls == 0 }, patience, 20*time.Millisecond)
			require.NoError(t, x.Place(t.Context(), o), "the same order once more")
			require.Zero(t, x.State().Calls)
			require.Zero(t, x.host.Legs(), "nothing is kept of a call that is over")
			x.mu.Lock()
			defer x.mu.Unlock()
			require.Empty(t, x.used)
		})
	}
}

// TestOverTCP calls over a trunk that is reached by TCP.
func TestOverTCP(t *testing.T) {
	t.Parallel()
	proxy := siptest.StartProxy(t, siptest.Trunk{User: trunkUser, Password: trunkPassword})
	for _, hangsUp := range []string{"operator", "visitor"} {
		t.Run(hangsUp, func(t *testing.T) {
			quiet := scripts(siptest.Invited, siptest.Ringing, siptest.Waits(200*time.Millisecond), siptest.Answers(20000), siptest.Acknowledged, siptest.HungUp)
			active := scripts(siptest.Invited, siptest.Ringing, siptest.Waits(200*time.Millisecond), siptest.Answers(20000), siptest.Acknowledged, siptest.Waits(time.Second), siptest.HangsUp)
			first, second := quiet, active
			if hangsUp == "operator" {
				first, second = active, quiet
			}
			o := order(hangsUp)
			o.Operator, o.Visitor = o.Operator+"1", o.Visitor+"1"
			if hangsUp == "operator" {
				o.Operator, o.Visitor = o.Operator+"2", o.Visitor+"2"
			}
			operator := siptest.StartScripted(t, proxy, o.Operator, first...)
			visitor := siptest.StartScripted(t, proxy, o.Visitor, second...)
			s := settings(t, proxy.Port)
			s.Transport, s.Listen[0].Transport = trunk.TCP, trunk.TCP
			d := newRecorder()
			x := exchange(t, s, d)
			require.NoError(t, x.Place(t.Context(), o))
			require.Equal(t, hangsUp+" hung up", d.last(t, o.ID).Reason)
			operator.Await()
			visitor.Await()
		})
	}
}

// A trunk that says nothing is given up.
func TestSilentTrunk(t *testing.T) {
	t.Parallel()
	silent, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	d := newRecorder()
	x := exchange(t, settings(t, silent.LocalAddr().(*net.UDPAddr).Port), d)
	require.NoError(t, x.Place(t.Context(), order("a")))
	require.Equal(t, "operator unreachable", d.last(t, "a").Reason)
	require.Equal(t, []string{"failed"}, d.steps("a"))
}

// A phone may be taken up in the moment in which the call ends, when nobody asks about it any more. Its
// answer is acknowledged and it is hung up.
func TestAnswerThatCrossesTheEnd(t *testing.T) {
	proxy := siptest.StartProxy(t, siptest.Trunk{})
	for _, who := range []string{"operator", "visitor"} {
		t.Run(who, func(t *testing.T) {
			number := "7912" + strconv.Itoa(siptest.Port(t))
			phone := siptest.StartScripted(t, proxy, number, siptest.Invited, siptest.Ringing, siptest.Answers(20000), siptest.Acknowledged, siptest.HungUp)
			x := exchange(t, settings(t, proxy.Port), newRecorder())
			c := newCall(x, x.trunk.Load(), order(who))
			taken := make(chan trunk.Happening, 4)
			l := c.trunk.Dial(number, "74951234567", nil, func(h trunk.Happening) { taken <- h })
			if c.operator = l; who == "visitor" {
				c.operator, c.visitor = nil, l
			}
			for h := range taken {
				if h.Kind == trunk.Answered {
					break
				}
			}
			close(c.done)
			c.hangUp()
			phone.Await()
			require.Zero(t, x.host.Legs())
		})
	}
}
