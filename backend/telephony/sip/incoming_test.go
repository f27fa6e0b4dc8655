package sip

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/siptest"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
)

// peer sends raw messages to an exchange and reads what comes back.
type peer struct {
	t testing.TB
	net.Conn
	call string // the Call-ID of what was sent last
}

// call is a peer from the local address.
func peerOf(t testing.TB, x *Exchange, network, local string) *peer {
	t.Helper()
	at := x.trunk.Load().Settings.Listen[0].At.String()
	dialer := net.Dialer{Timeout: patience}
	if strings.HasPrefix(network, "udp") {
		dialer.LocalAddr = &net.UDPAddr{IP: net.ParseIP(local)}
	} else {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(local)}
	}
	c, err := dialer.Dial(network, at)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return &peer{t: t, Conn: c}
}

// send sends the lines of a message.
func (p *peer) send(lines ...string) {
	p.t.Helper()
	text := strings.Join(lines, "\r\n") + "\r\n\r\n"
	p.call = header(text, "Call-ID")
	_, err := p.Write([]byte(text))
	require.NoError(p.t, err)
}

// invite are the lines of an INVITE to the address; more take the place of those of the same name.
func (p *peer) invite(to, id string, more ...string) []string {
	return p.request("INVITE", to, id, more...)
}

func (p *peer) request(method, to, id string, more ...string) []string {
	transport := strings.ToUpper(strings.TrimSuffix(p.LocalAddr().Network(), "4"))
	lines := []string{
		method + " " + to + " SIP/2.0",
		"Via: SIP/2.0/" + transport + " " + p.LocalAddr().String() + ";branch=z9hG4bK" + id + method,
		"From: \"Somebody\" <sip:+79123456789@trunk.test>;tag=from" + id,
		"To: <" + to + ">",
		"Call-ID: " + id,
		"CSeq: 1 " + method,
		"Contact: <sip:x@" + p.LocalAddr().String() + ">",
		"Max-Forwards: 70",
	}
	for _, m := range more {
		name, _, _ := strings.Cut(m, ":")
		replaced := false
		for i, l := range lines[1:] {
			if strings.HasPrefix(l, name+":") {
				lines[i+1], replaced = m, true
			}
		}
		if !replaced {
			lines = append(lines, m)
		}
	}
	return append(lines, "Content-Length: 0")
}

// answer is the next message of the call that was asked last: the answers of others are repeated until they are heard of.
func (p *peer) answer() string {
	p.t.Helper()
	p.SetReadDeadline(time.Now().Add(patience))
	b := make([]byte, 65536)
	for {
		n, err := p.Read(b)
		require.NoError(p.t, err)
		if text := string(b[:n]); !strings.HasPrefix(text, "SIP/2.0 100") && header(text, "Call-ID") == p.call {
			return text
		}
	}
}

// silence proves that what was sent before has not been answered: what is sent after that is.
func (p *peer) silence(asks *peer) {
	p.t.Helper()
	asks.send(asks.request("OPTIONS", "sip:x@y.test", "proof"+siptestID())...)
	require.True(p.t, strings.HasPrefix(asks.answer(), "SIP/2.0 200"))
	p.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	n, err := p.Read(make([]byte, 100))
	require.Zero(p.t, n)
	require.Error(p.t, err)
}

func siptestID() string { return rand.Text()[:12] }

// header is the value of the message's header.
func header(message, name string) string {
	for line := range strings.Lines(message) {
		if value, found := strings.CutPrefix(line, name+": "); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// reached is an exchange for a trunk at 127.0.0.1, without a trunk.
func reached(t testing.TB, d *recorder, change func(*trunk.Settings)) *Exchange {
	s := settings(t, siptest.Port(t))
	s.Destination, s.Region = "74950000000", "RU"
	if change != nil {
		change(&s)
	}
	return exchange(t, s, d)
}

func TestIncomingCallIsRedirected(t *testing.T) {
	for _, network := range []string{"udp4", "tcp4"} {
		t.Run(network, func(t *testing.T) {
			d := newRecorder()
			d.numbers["74957654321"] = "74951234567"
			x := reached(t, d, func(s *trunk.Settings) {
				s.Prefix = "+"
				if network == "tcp4" {
					s.Transport, s.Listen[0].Transport = trunk.TCP, trunk.TCP
				}
			})
			line := peerOf(t, x, network, "127.0.0.1")
			invite := line.invite("sip:+74957654321@here.test", "c1")
			line.send(invite...)
			got := line.answer()
			require.True(t, strings.HasPrefix(got, "SIP/2.0 302 "), got)
			require.Equal(t, "<sip:+74951234567@"+x.trunk.Load().Settings.Trunk+">", header(got, "Contact"))
			if network == "udp4" { // it is sent again until there is an ACK
				line.send(invite...)
				require.True(t, strings.HasPrefix(line.answer(), "SIP/2.0 302 "))
			}
			to := header(got, "To")
			line.send(line.request("ACK", "sip:+74957654321@here.test", "c1", "To: "+to, "Via: "+header(got, "Via"))...)
			require.Equal(t, []telephony.Event{{
				Platform: "sip", Call: "c1", Kind: telephony.Start, Called: "74957654321", Caller: "79123456789",
				Talk: telephony.Untold, Wait: telephony.Untold, Connects: true,
			}}, d.told())
			require.Equal(t, 1, d.count(Redirected))
		})
	}
}

func TestIncomingCallByIPv6(t *testing.T) {
	d := newRecorder()
	d.numbers["74957654321"] = "74951234567"
	x := reached(t, d, func(s *trunk.Settings) {
		port := s.Listen[0].At.Port()
		s.Listen[0].At = netip.AddrPortFrom(netip.IPv6Loopback(), port)
		s.Trunk, s.Domain = fmt.Sprintf("[::1]:%d", port+1), ""
	})
	line := peerOf(t, x, "udp6", "::1")
	line.send(line.invite("sip:+74957654321@here.test", "c6")...)
	got := line.answer()
	require.True(t, strings.HasPrefix(got, "SIP/2.0 302 "), got)
	require.Equal(t, "<sip:74951234567@[::1]>", header(got, "Contact"))
}

func TestNumbersOfIncomingCalls(t *testing.T) {
	d := newRecorder()
	d.numbers["74957654321"] = "74951234567"
	x := reached(t, d, nil)
	line := peerOf(t, x, "udp4", "127.0.0.1")
	for i, test := range []struct {
		to             string
		more           []string
		status         string
		called, caller string
	}{
		{"sip:74957654321@here.test", nil, "302", "74957654321", "79123456789"},
		{"sip:84957654321@here.test;user=phone", nil, "302", "74957654321", "79123456789"},
		{"sip:4957654321@here.test", []string{"From: <sip:anonymous@anonymous.invalid>;tag=a"}, "302", "74957654321", ""},
		{"sip:%2B7495765-43-21@here.test", []string{"P-Asserted-Identity: <sip:+79990000000@trunk.test>"}, "302", "74957654321", "79990000000"},
		{"tel:+7-495-765-43-21", []string{"P-Asserted-Identity: <tel:+79990000000>", "Privacy: id"}, "302", "74957654321", ""},
		{"sip:shop@here.test", []string{"To: <sip:+74957654321@here.test>"}, "302", "74957654321", "79123456789"},
		{"sip:+74957654321;phone-context=x@here.test", []string{"From: <sip:89123456789@x.test>;tag=a"}, "302", "74957654321", "79123456789"},
		{"sip:+74957654321@here.test", []string{"From: \"8 (800) 1<>\" <sip:%0d%0aX@x.test>;tag=a"}, "302", "74957654321", ""},
		{"sip:+74950001122@here.test", nil, "302", "74950001122", "79123456789"}, // to the default destination
		{"sip:+74950000000@here.test", nil, "404", "74950000000", "79123456789"}, // which is this one
		{"sip:shop@here.test", nil, "404", "", ""},
		{"sip:%00%0d%0a@here.test", nil, "404", "", ""},
		{"sip:" + strings.Repeat("7", 400) + "@here.test", nil, "404", "", ""},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			d.mu.Lock()
			d.events = nil
			d.mu.Unlock()
			id := fmt.Sprint("n", i)
			line.send(line.invite(test.to, id, test.more...)...)
			got := line.answer()
			require.True(t, strings.HasPrefix(got, "SIP/2.0 "+test.status), got)
			line.send(line.request("ACK", test.to, id, append(test.more, "To: "+header(got, "To"), "Via: "+header(got, "Via"))...)...)
			d.mu.Lock()
			defer d.mu.Unlock()
			if test.called == "" {
				require.Empty(t, d.events)
				return
			}
			require.Len(t, d.events, 1)
			require.Equal(t, test.called, d.events[0].Called)
			require.Equal(t, test.caller, d.events[0].Caller)
		})
	}
}

// A number that is no site's is answered at the default destination, if there is one.
func TestIncomingCallOfAnUnknownNumber(t *testing.T) {
	for destination, status := range map[string]string{"74950000000": "302", "": "404"} {
		x := reached(t, newRecorder(), func(s *trunk.Settings) { s.Destination = destination })
		line := peerOf(t, x, "udp4", "127.0.0.1")
		line.send(line.invite("sip:+74950001122@here.test", "u"+status)...)
		got := line.answer()
		require.True(t, strings.HasPrefix(got, "SIP/2.0 "+status), got)
		require.Equal(t, destination != "", strings.Contains(header(got, "Contact"), "sip:74950000000@"))
	}
}

// Callers are sent on also when it cannot be looked up to whom.
func TestIncomingCallWithoutAnswerInTime(t *testing.T) {
	d := newRecorder()
	d.err = errors.New("the database is away")
	x := reached(t, d, nil)
	line := peerOf(t, x, "udp4", "127.0.0.1")
	line.send(line.invite("sip:+74957654321@here.test", "c1")...)
	got := line.answer()
	require.True(t, strings.HasPrefix(got, "SIP/2.0 302 "), got)
	require.Contains(t, header(got, "Contact"), "sip:74950000000@")
	require.Equal(t, 1, d.count(Fallback))

	nowhere := reached(t, d, func(s *trunk.Settings) { s.Destination = "" })
	line = peerOf(t, nowhere, "udp4", "127.0.0.1")
	line.send(line.invite("sip:+74957654321@here.test", "c2")...)
	got = line.answer()
	require.True(t, strings.HasPrefix(got, "SIP/2.0 503 "), got)
	require.Equal(t, "5", header(got, "Retry-After"))
	require.Eventually(t, func() bool {
		told := d.told()
		return told[len(told)-1].Status == telephony.Failed
	}, patience, 5*time.Millisecond)
}

func TestOtherRequests(t *testing.T) {
	d := newRecorder()
	x := reached(t, d, nil)
	line := peerOf(t, x, "udp4", "127.0.0.1")
	for _, test := range []struct {
		method, status string
		more           []string
	}{
		{"OPTIONS", "200", nil},
		{"OPTIONS", "481", []string{"To: <sip:x@y.test>;tag=forged"}},
		{"BYE", "481", []string{"To: <sip:x@y.test>;tag=forged"}},
		{"BYE", "481", nil},
		{"INVITE", "481", []string{"To: <sip:x@y.test>;tag=forged"}},
		{"CANCEL", "481", nil},
		{"REGISTER", "405", nil},
		{"MESSAGE", "405", nil},
		{"SUBSCRIBE", "405", nil},
		{"REFER", "405", nil},
		{"PIGEON", "405", nil},
	} {
		line.send(line.request(test.method, "sip:x@y.test", "o"+siptestID(), test.more...)...)
		got := line.answer()
		require.True(t, strings.HasPrefix(got, "SIP/2.0 "+test.status), "%s: %s", test.method, got)
		if test.method == "INVITE" {
			line.send(line.request("ACK", "sip:x@y.test", header(got, "Call-ID"), "To: "+header(got, "To"), "Via: "+header(got, "Via"))...)
		}
	}
	require.Empty(t, d.told())
}

// Nobody but the trunk is answered, and what cannot be read is dropped.
func TestStrangersAndTornMessages(t *testing.T) {
	d := newRecorder()
	d.numbers["74957654321"] = "74951234567"
	x := reached(t, d, func(s *trunk.Settings) {
		s.Trunk = "127.0.0.7:5060"
		s.Trusted = []netip.Prefix{netip.MustParsePrefix("127.0.0.8/32")}
		s.Listen = append(s.Listen, trunk.Address{Transport: trunk.TCP, At: s.Listen[0].At})
	})
	line := peerOf(t, x, "udp4", "127.0.0.8")
	stranger := peerOf(t, x, "udp4", "127.0.0.9")
	for _, method := range []string{"INVITE", "OPTIONS", "REGISTER", "BYE"} {
		stranger.send(stranger.request(method, "sip:+74957654321@here.test", "s"+method)...)
	}
	stranger.silence(line)
	require.Equal(t, 4, d.count(Stranger))
	byTCP := peerOf(t, x, "tcp4", "127.0.0.9")
	byTCP.SetReadDeadline(time.Now().Add(patience))
	_, err := byTCP.Read(make([]byte, 1))
	require.Error(t, err, "the connection is closed")

	whole := strings.Join(line.invite("sip:+74957654321@here.test", "torn"), "\r\n") + "\r\n\r\n"
	torn := []string{
		whole[:len(whole)/2], "INVITE", "\x00\x01\x02", strings.Repeat("A", 30000), "SIP/2.0 200 OK\r\n\r\n",
		strings.Replace(whole, "Via: ", "X: ", 1), strings.Replace(whole, "From: ", "X: ", 1), strings.Replace(whole, "To: ", "X: ", 1),
		strings.Replace(whole, "Call-ID: ", "X: ", 1), strings.Replace(whole, "CSeq: 1 INVITE", "CSeq: x", 1), strings.Replace(whole, "CSeq: 1 INVITE", "CSeq: 1 BYE", 1),
		strings.Replace(whole, "Call-ID: torn", "Call-ID: "+strings.Repeat("x", 201), 1), strings.Replace(whole, "branch=", "b=", 1),
	}
	for i, text := range torn {
		_, err := line.Write([]byte(text))
		require.NoError(t, err)
		require.Eventually(t, func() bool { return d.count(Torn) == i+1 }, patience, 5*time.Millisecond, "%q", text)
	}
	_, err = line.Write([]byte("\r\n\r\n")) // is only to keep a way open
	require.NoError(t, err)
	line.silence(line)
	require.Equal(t, len(torn), d.count(Torn))
	require.Empty(t, d.told())

	// Over TCP a message that has no end ends the connection.
	tcp := peerOf(t, x, "tcp4", "127.0.0.8")
	tcp.send(tcp.invite("sip:+74957654321@here.test", "tcp", "Call-ID: "+strings.Repeat("x", 300))...)
	require.True(t, strings.HasPrefix(tcp.answer(), "SIP/2.0 400 "))
	_, err = tcp.Write([]byte("INVITE sip:x SIP/2.0\r\nX: " + strings.Repeat("A", 200000)))
	if err == nil {
		tcp.SetReadDeadline(time.Now().Add(patience))
		_, err = tcp.Read(make([]byte, 1))
	}
	require.Error(t, err)
	require.Empty(t, d.told())
}

// TestForgedRequestsOfACall has somebody guess at a call that goes on.
func TestForgedRequestsOfACall(t *testing.T) {
	proxy := siptest.StartProxy(t, siptest.Trunk{})
	answered := scripts(siptest.Invited, siptest.Ringing, siptest.Waits(200*time.Millisecond), siptest.Answers(20000), siptest.Acknowledged, siptest.HungUp)
	operator := siptest.StartScripted(t, proxy, operatorNumber, answered...)
	visitor := siptest.StartScripted(t, proxy, visitorNumber, answered...)
	d := newRecorder()
	x := exchange(t, settings(t, proxy.Port), d)
	require.NoError(t, x.Place(t.Context(), order("a")))
	require.Eventually(t, func() bool {
		steps := d.steps("a")
		return len(steps) > 0 && steps[len(steps)-1] == "talking"
	}, patience, 20*time.Millisecond)
	x.mu.Lock()
	phone := x.calls["a"].operator
	x.mu.Unlock()
	forger := peerOf(t, x, "udp4", "127.0.0.1")
	for _, method := range []string{"BYE", "INVITE"} {
		forger.send(forger.request(method, "sip:x@y.test", phone.CallID, "To: <sip:x@y.test>;tag="+phone.Tag)...)
		got := forger.answer()
		require.True(t, strings.HasPrefix(got, "SIP/2.0 481"), got)
		forger.send(forger.request("ACK", "sip:x@y.test", phone.CallID, "To: "+header(got, "To"), "Via: "+header(got, "Via"))...)
	}
	require.Equal(t, 1, x.State().Calls)
	require.NoError(t, x.Cancel(t.Context(), "a"))
	operator.Await()
	visitor.Await()
}
