package trunk

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// FuzzResponse reads responses of a trunk. A registration is granted for a time within the bounds, and what is sent
// with credentials can be read.
func FuzzResponse(f *testing.F) {
	f.Add("SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKx\r\nFrom: <sip:a@b>;tag=a\r\nTo: <sip:b@b>;tag=b\r\nCall-ID: c\r\nCSeq: 1 INVITE\r\nContact: <sip:x@y>\r\n" +
		"Record-Route: <sip:p;lr>\r\nContent-Type: application/sdp\r\nContent-Length: 22\r\n\r\nv=0\r\nm=audio 1 RTP/AVP 8")
	f.Add("SIP/2.0 401 Unauthorized\r\nVia: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKx\r\nFrom: <sip:a@b>;tag=a\r\nTo: <sip:b@b>;tag=b\r\nCall-ID: c\r\nCSeq: 1 REGISTER\r\n" +
		"WWW-Authenticate: Digest realm=\"x\", nonce=\"n\", qop=\"auth\", algorithm=md5, opaque=\"o\"\r\nContact: <sip:frontdesk@127.0.0.1>;expires=99\r\nExpires: 3600\r\nMin-Expires: 60\r\n\r\n")
	s, err := Settings{
		Listen: []Address{{UDP, netip.MustParseAddrPort("127.0.0.1:5062")}}, Trunk: "127.0.0.1:5060", User: "frontdesk", Password: "s3cret",
	}.Complete()
	require.NoError(f, err)
	ua, err := sipgo.NewUA()
	require.NoError(f, err)
	line, err := New(&Host{UA: ua, Logger: zap.NewNop()}, s)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, datagram string) {
		read, err := sip.NewParser().ParseSIP([]byte(datagram))
		if err != nil {
			return
		}
		m, is := read.(*sip.Response)
		if r, asked := read.(*sip.Request); asked {
			session(r)
		}
		if !is {
			return
		}
		dialogOf(m, sip.Uri{Host: "x"})
		granted := line.granted(m, time.Minute)
		require.Positive(t, granted)
		require.LessOrEqual(t, granted, maxExpires)
		if again := line.authorized(line.registration(time.Minute), m, 0, line.nextRegister); again != nil {
			read, err := sip.NewParser().ParseSIP([]byte(again.String()))
			require.NoError(t, err, "what is sent can be read")
			require.Len(t, read.(*sip.Request).GetHeaders("Call-ID"), 1)
		}
		if offer := session(m); offer != nil {
			declined(offer)
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
