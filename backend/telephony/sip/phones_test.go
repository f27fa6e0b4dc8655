package sip

import (
	"context"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/siptest"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
)

// patience is how long something may take that takes no time.
const patience = 30 * time.Second

const (
	operatorNumber = "74950000001"
	visitorNumber  = "79120000002"
	trunkUser      = "frontdesk"
	trunkPassword  = "s3cret"
)

// recorder keeps what it is told.
type recorder struct {
	mu       sync.Mutex
	progress []telephony.Progress
	events   []telephony.Event
	numbers  map[string]string // destinations by the called numbers
	err      error
	counts   map[string]int
}

func newRecorder() *recorder {
	return &recorder{numbers: make(map[string]string), counts: make(map[string]int)}
}

func (d *recorder) SIP(outcome string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts[outcome]++
}

func (d *recorder) count(outcome string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counts[outcome]
}

func (d *recorder) Progress(_ context.Context, p telephony.Progress) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.progress = append(d.progress, p)
	return nil
}

func (d *recorder) Incoming(_ context.Context, e telephony.Event) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e)
	return d.numbers[e.Called], d.err
}

func (d *recorder) Ended(_ context.Context, e telephony.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e)
}

func (d *recorder) told() []telephony.Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.events)
}

func (d *recorder) handlers() Handlers {
	return Handlers{Progress: d.Progress, Incoming: d.Incoming, Ended: d.Ended}
}

// steps are those of the order, the outcome behind the last.
func (d *recorder) steps(order string) (steps []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.progress {
		if p.Order != order {
			continue
		}
		step := string(p.Step)
		if p.Step == telephony.Ended {
			step = string(p.Outcome)
		}
		steps = append(steps, step)
	}
	return steps
}

// last waits for the end of the order.
func (d *recorder) last(t *testing.T, order string) telephony.Progress {
	t.Helper()
	var last telephony.Progress
	require.Eventually(t, func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, p := range d.progress {
			if p.Order == order && p.Step == telephony.Ended {
				last = p
				return true
			}
		}
		return false
	}, 2*patience, 20*time.Millisecond)
	return last
}

// settings are those of a trunk at the port.
func settings(t testing.TB, trunkPort int) trunk.Settings {
	return trunk.Settings{
		Listen: []trunk.Address{{Transport: trunk.UDP, At: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(siptest.Port(t)))}},
		Trunk:  "127.0.0.1:" + strconv.Itoa(trunkPort), Domain: "127.0.0.1:" + strconv.Itoa(trunkPort),
		User: trunkUser, Password: trunkPassword,
	}
}

// told shows what the exchange tells. What the library tells at debug level is left out: it may still do so after the test.
func told(t testing.TB) *zap.Logger { return zaptest.NewLogger(t, zaptest.Level(zap.InfoLevel)) }

// exchange is one with the settings, which ends with the test.
func exchange(t testing.TB, s trunk.Settings, d *recorder) *Exchange {
	t.Helper()
	s, err := s.Complete()
	require.NoError(t, err)
	x, err := New(told(t), d)
	require.NoError(t, err)
	require.NoError(t, x.Listen(s.Listen))
	require.NoError(t, x.Use(s, d.handlers()))
	t.Cleanup(func() { x.Close() })
	return x
}

func order(id string) telephony.Order {
	return telephony.Order{ID: id, Operator: operatorNumber, Visitor: visitorNumber, CallerID: "74951234567", Ring: 20 * time.Second}
}

// TestTwoPhonesAreJoined rings two phones one after the other, over a proxy that asks for a password,
// and has them hear each other.
func TestTwoPhonesAreJoined(t *testing.T) {
	proxy := siptest.StartProxy(t, siptest.Trunk{User: trunkUser, Password: trunkPassword})
	operator := siptest.StartPhone(t, proxy, operatorNumber, 440)
	visitor := siptest.StartPhone(t, proxy, visitorNumber, 1000)
	d := newRecorder()
	s := settings(t, proxy.Port)
	s.Register = true
	x := exchange(t, s, d)
	require.Eventually(t, func() bool { return x.State().Registered }, patience, 20*time.Millisecond)

	require.NoError(t, x.Place(t.Context(), order("a")))
	require.NoError(t, x.Place(t.Context(), order("a")), "the same order once more")
	operator.Await(siptest.Rings, 1)
	require.Zero(t, visitor.Count(siptest.Rings), "the operator first")
	operator.Answer()
	visitor.Await(siptest.Rings, 1)
	visitor.Answer()
	operator.Await(siptest.Established, 1)
	visitor.Await(siptest.Established, 1)
	operator.AwaitTone(1000)
	require.False(t, operator.Hears(440), "its own tone")
	visitor.AwaitTone(440)
	require.Equal(t, 1, x.State().Calls)
	visitor.HangUp()
	operator.Await(siptest.Closed, 1)
	last := d.last(t, "a")
	require.Equal(t, []string{"operator_rings", "visitor_rings", "talking", "talked"}, d.steps("a"))
	require.GreaterOrEqual(t, last.Talk, int64(0))
	require.Equal(t, "visitor hung up", last.Reason)
	require.Equal(t, 1, operator.Count(siptest.Rings))
	require.Eventually(t, func() bool { return x.State().Calls == 0 }, patience, 20*time.Millisecond)
}

// A phone that is gone without a word ends the call of the other.
func TestPhoneVanishes(t *testing.T) {
	proxy := siptest.StartProxy(t, siptest.Trunk{})
	operator := siptest.StartPhone(t, proxy, operatorNumber, 440)
	visitor := siptest.StartPhone(t, proxy, visitorNumber, 1000)
	d := newRecorder()
	x := exchange(t, settings(t, proxy.Port), d)
	x.probe = 500 * time.Millisecond
	require.NoError(t, x.Place(t.Context(), order("a")))
	operator.Await(siptest.Rings, 1)
	operator.Answer()
	visitor.Await(siptest.Rings, 1)
	visitor.Answer()
	operator.AwaitTone(1000)
	require.Eventually(t, func() bool { return len(d.steps("a")) > 2 && d.steps("a")[2] == "talking" }, patience, 20*time.Millisecond)
	visitor.Vanish()
	operator.Await(siptest.Closed, 1)
	require.Equal(t, "visitor vanished", d.last(t, "a").Reason)
}
