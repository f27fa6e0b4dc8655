package sip

import (
	"context"
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/siptest"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
)

func (x *Exchange) awaitRegistered(t testing.TB, registered bool) {
	t.Helper()
	require.Eventually(t, func() bool { return x.State().Registered == registered }, patience, 20*time.Millisecond)
}

// TestRegistration is refused with a wrong password, tried again while the registrar is away, and taken
// back in the end.
func TestRegistration(t *testing.T) {
	for _, transport := range []string{trunk.UDP, trunk.TCP} {
		t.Run(transport, func(t *testing.T) {
			port := siptest.Port(t)
			s := settings(t, port)
			s.Register, s.Transport, s.Listen[0].Transport = true, transport, transport
			d := newRecorder()
			x := exchange(t, s, d)
			require.ErrorContains(t, x.Place(t.Context(), order("a")), "registration")
			wrong := siptest.StartProxy(t, siptest.Trunk{User: trunkUser, Password: "another", Port: port})
			require.Eventually(t, func() bool { return wrong.Saw("auth=" + trunkUser) }, patience, 20*time.Millisecond)
			require.False(t, x.State().Registered)
			wrong.Stop()
			proxy := siptest.StartProxy(t, siptest.Trunk{User: trunkUser, Password: trunkPassword, Port: port})
			x.awaitRegistered(t, true)
			again := s // another way to be called: another registration
			again.CallerID = "74951234567"
			again, err := again.Complete()
			require.NoError(t, err)
			require.NoError(t, x.Use(again, d.handlers()))
			x.awaitRegistered(t, true)
			require.NoError(t, x.Close())
			require.False(t, x.State().Registered)
			require.True(t, proxy.Saw("REGISTER"))
			require.Equal(t, "404", lookedUp(t, proxy, trunkUser), "nobody is there any more")
		})
	}
}

// lookedUp is the status of a call to the user.
func lookedUp(t *testing.T, proxy *siptest.Proxy, user string) string {
	d := newRecorder()
	x := exchange(t, settings(t, proxy.Port), d)
	p := peerOf(t, x, "udp4", "127.0.0.1")
	c, err := net.Dial("udp4", proxy.Address())
	require.NoError(t, err)
	defer c.Close()
	asker := &peer{t: t, Conn: c}
	asker.send(p.invite("sip:"+user+"@"+proxy.Address(), "lookup", "Via: SIP/2.0/UDP "+c.LocalAddr().String()+";branch=z9hG4bKl", "User-Agent: baresip")...)
	return asker.answer()[8:11]
}

// TestReload changes settings while a call goes on.
func TestReload(t *testing.T) {
	proxy := siptest.StartProxy(t, siptest.Trunk{})
	operator := siptest.StartPhone(t, proxy, operatorNumber, 440)
	visitor := siptest.StartPhone(t, proxy, visitorNumber, 1000)
	d := newRecorder()
	s := settings(t, proxy.Port)
	x := exchange(t, s, d)
	require.NoError(t, x.Place(t.Context(), order("a")))
	operator.Await(siptest.Rings, 1)
	before := x.trunk.Load()
	same, err := s.Complete()
	require.NoError(t, err)
	require.NoError(t, x.Listen(same.Listen))
	require.NoError(t, x.Use(same, d.handlers()))
	require.Same(t, before, x.trunk.Load())
	operator.Answer()
	visitor.Await(siptest.Rings, 1)
	other := same
	other.Calls = 1
	require.NoError(t, x.Listen(other.Listen))
	require.NoError(t, x.Use(other, d.handlers()))
	require.NotSame(t, before, x.trunk.Load())
	visitor.Answer()
	operator.AwaitTone(1000)
	visitor.AwaitTone(440)
	require.ErrorIs(t, x.Place(t.Context(), order("b")), errOverloaded)
	require.Equal(t, 1, d.count(Overloaded))

	// One holds, which is another session, and takes it back: the other hears of it.
	before2 := visitor.Count("CALL_REMOTE_SDP")
	operator.Hold()
	visitor.Await("CALL_REMOTE_SDP", before2+1)
	operator.Resume()
	visitor.Await("CALL_REMOTE_SDP", before2+2)
	operator.AwaitTone(1000)

	// Another address is listened at as well, and the first no more; the end of the exchange is the
	// end of the call.
	require.NoError(t, x.Close())
	operator.Await(siptest.Closed, 1)
	visitor.Await(siptest.Closed, 1)
	require.Equal(t, telephony.Talked, d.last(t, "a").Outcome)
	require.ErrorIs(t, x.Place(t.Context(), order("c")), errClosed)
	free, err := net.ListenPacket("udp4", same.Listen[0].At.String())
	require.NoError(t, err, "the port is free again")
	free.Close()
}

func TestPortInUse(t *testing.T) {
	taken, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	at := taken.LocalAddr().(*net.UDPAddr)
	address, err := trunk.ParseAddress("udp/127.0.0.1:" + strconv.Itoa(at.Port))
	require.NoError(t, err)
	x, err := New(told(t), newRecorder())
	require.NoError(t, err)
	defer x.Close()
	other, err := trunk.ParseAddress("udp/127.0.0.1:" + strconv.Itoa(siptest.Port(t)))
	require.NoError(t, err)
	err = x.Listen([]trunk.Address{other, address})
	require.ErrorContains(t, err, address.String())
	require.ErrorContains(t, err, "address already in use")
	require.Empty(t, x.sockets, "nothing is listened at")
}

// A call is ended after its time, and is told of as soon as that is possible.
func TestLongestCallAndLateHandlers(t *testing.T) {
	proxy := siptest.StartProxy(t, siptest.Trunk{})
	answered := scripts(siptest.Invited, siptest.Answers(20000), siptest.Acknowledged, siptest.HungUp)
	operator := siptest.StartScripted(t, proxy, operatorNumber, answered...)
	visitor := siptest.StartScripted(t, proxy, visitorNumber, answered...)
	d := newRecorder()
	x := exchange(t, settings(t, proxy.Port), d)
	x.trunk.Load().Settings.Duration = 2 * time.Second
	refusals := 2
	x.handlers.Store(&Handlers{Progress: func(ctx context.Context, p telephony.Progress) error {
		if refusals--; refusals >= 0 {
			return errors.New("the database is away")
		}
		return d.Progress(ctx, p)
	}})
	require.NoError(t, x.Place(t.Context(), order("a")))
	last := d.last(t, "a")
	require.Equal(t, "too long", last.Reason)
	require.Equal(t, []string{"visitor_rings", "talking", "talked"}, d.steps("a"))
	operator.Await()
	visitor.Await()
}

func TestOrdersThatAreNotTaken(t *testing.T) {
	d := newRecorder()
	x := reached(t, d, nil)
	for _, o := range []telephony.Order{
		{ID: "a", Operator: "74950000001", Visitor: ""},
		{ID: "a", Operator: "74950000001\r\nX: y", Visitor: "79120000002"},
		{ID: "a", Operator: "74950000001", Visitor: "sip:7@x"},
		{ID: "a", Operator: "74950000001", Visitor: "79120000002", CallerID: "7\" <x>"},
		{ID: "a", Operator: "+74950000001", Visitor: "79120000002"},
		{ID: "a", Operator: "74950000001", Visitor: "7912000000212345678"},
	} {
		require.Error(t, x.Place(t.Context(), o), "%+v", o)
	}
	require.NoError(t, x.Cancel(t.Context(), "nothing"))
	require.Zero(t, x.State().Calls)
	empty, err := New(told(t), d)
	require.NoError(t, err)
	require.ErrorIs(t, empty.Place(t.Context(), order("a")), errNoTrunk)
	require.NoError(t, empty.Close())
}
