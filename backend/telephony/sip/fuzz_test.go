package sip

import (
	"strings"
	"testing"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// FuzzMessage reads datagrams as the exchange does. What is let in has all that the library takes for
// granted, and no number is anything but digits.
func FuzzMessage(f *testing.F) {
	f.Add("INVITE sip:+74957654321@here.test SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bKx\r\nFrom: <sip:+79123456789@x.test>;tag=a\r\n" +
		"To: <sip:8(495)765-43-21@here.test>\r\nCall-ID: c\r\nCSeq: 1 INVITE\r\nP-Asserted-Identity: \"x\" <tel:+7-912-345-67-89>\r\nPrivacy: none\r\nContent-Length: 0\r\n\r\n")
	f.Add("SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKx\r\nFrom: <sip:a@b>;tag=a\r\nTo: <sip:b@b>;tag=b\r\nCall-ID: c\r\nCSeq: 1 INVITE\r\nContact: <sip:x@y>\r\n" +
		"Record-Route: <sip:p;lr>\r\nContent-Type: application/sdp\r\nContent-Length: 22\r\n\r\nv=0\r\nm=audio 1 RTP/AVP 8")
	f.Add("INVITE tel:+7 SIP/2.0\r\nv: SIP/2.0/UDP h;branch=b\r\nf: a\r\nt: b\r\ni: c\r\nCSeq: 1 INVITE\r\n\r\n")
	f.Add("SIP/2.0 401 Unauthorized\r\nVia: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKx\r\nFrom: <sip:a@b>;tag=a\r\nTo: <sip:b@b>;tag=b\r\nCall-ID: c\r\nCSeq: 1 REGISTER\r\n" +
		"WWW-Authenticate: Digest realm=\"x\", nonce=\"n\", qop=\"auth\", algorithm=md5, opaque=\"o\"\r\nContact: <sip:frontdesk@127.0.0.1>;expires=99\r\nExpires: 3600\r\nMin-Expires: 60\r\n\r\n")
	s, err := settings(f, 5060).Complete()
	require.NoError(f, err)
	x, err := New(zap.NewNop(), newDesk())
	require.NoError(f, err)
	trunk, err := newTrunk(x, s)
	require.NoError(f, err)
	g := &guard{parser: sip.NewParser(), logger: zap.Must(zap.NewDevelopment())}
	f.Fuzz(func(t *testing.T, datagram string) {
		_, _ = sip.NewParser().ParseSIP([]byte(datagram)) // whose panics would be caught below
		readable := false
		stepstest.Hold(t, len(datagram), func() { readable = g.readable([]byte(datagram)) })
		if !readable {
			return
		}
		m, err := sip.NewParser().ParseSIP([]byte(datagram))
		require.NoError(t, err)
		require.True(t, complete(m))
		switch m := m.(type) {
		case *sip.Request:
			for _, region := range []string{"", "RU", "US"} {
				for _, number := range []string{calledOf(m, region), callerOf(m, region)} {
					require.Empty(t, strings.Trim(number, "0123456789"))
					require.LessOrEqual(t, len(number), maxDigits)
				}
			}
			name := callOf(m)
			require.NotEmpty(t, strings.ToValidUTF8(name, "")+"x")
			require.LessOrEqual(t, len(name), maxCallID)
			session(m)
			sip.NewResponseFromRequest(m, sip.StatusNotFound, "Not Found", nil)
		case *sip.Response:
			dialogOf(m, sip.Uri{Host: "x"})
			granted := trunk.granted(m, time.Minute)
			require.Positive(t, granted)
			require.LessOrEqual(t, granted, maxExpires)
			if again := trunk.authorized(trunk.registration(time.Minute), m, 0, trunk.nextRegister); again != nil {
				read, err := sip.NewParser().ParseSIP([]byte(again.String()))
				require.NoError(t, err, "what is sent can be read")
				require.Len(t, read.(*sip.Request).GetHeaders("Call-ID"), 1)
			}
			if offer := session(m); offer != nil {
				declined(offer)
			}
		}
	})
}

// FuzzDeclined refuses offers: no stream of the answer has a port, and there are as many as offered.
func FuzzDeclined(f *testing.F) {
	f.Add("v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 8 0\r\na=rtpmap:8 PCMA/8000\r\nm=video 4002/2 RTP/AVP 99\r\n")
	f.Add("m=\r\nm=audio\r\nm=audio 1 x y\r\n\r\nv=0")
	f.Fuzz(func(t *testing.T, offer string) {
		var answer string
		stepstest.Hold(t, len(offer), func() { answer = string(declined([]byte(offer))) })
		for line := range strings.SplitSeq(answer, "\r\n") {
			if media, is := strings.CutPrefix(line, "m="); is {
				require.Equal(t, "0", strings.Fields(media)[1])
			}
		}
	})
}

// FuzzAddress reads what is listened at.
func FuzzAddress(f *testing.F) {
	for _, text := range []string{"udp/192.0.2.1:5060", "tcp/[::1]:5060", "192.0.2.1", "udp/", "x/y:1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			return
		}
		again, err := ParseAddress(a.String())
		require.NoError(t, err)
		require.Equal(t, a, again)
		CheckHost(text)
	})
}
