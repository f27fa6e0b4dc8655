package sip

import (
	"strings"
	"testing"

	"github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// price is that of the library's reader: of a contact such as "*," it makes a header of some 350 bytes.
var price = stepstest.Price{Each: stepstest.Cost{Walked: stepstest.Usual.Each.Walked, Allocated: 192}, Besides: stepstest.Usual.Besides}

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
	f.Add("INVITE sip:1@b SIP/2.0\r\nVia: SIP/2.0/UDP h;branch=b\r\nFrom: <sip:a@b>;tag=a\r\nTo: <sip:b@b>\r\nCall-ID: c\r\nCSeq: 1 INVITE\r\nm: " + strings.Repeat("*,", 3000) + "\r\n\r\n")
	g := &guard{parser: sip.NewParser(), logger: zap.Must(zap.NewDevelopment())}
	f.Fuzz(func(t *testing.T, datagram string) {
		_, _ = sip.NewParser().ParseSIP([]byte(datagram)) // whose panics would be caught below
		readable := false
		price.Hold(t, len(datagram), func() { readable = g.readable([]byte(datagram)) })
		if !readable {
			return
		}
		m, err := sip.NewParser().ParseSIP([]byte(datagram))
		require.NoError(t, err)
		require.True(t, complete(m))
		if m, is := m.(*sip.Request); is {
			for _, region := range []string{"", "RU", "US"} {
				for _, number := range []string{calledOf(m, region), callerOf(m, region)} {
					require.Empty(t, strings.Trim(number, "0123456789"))
					require.LessOrEqual(t, len(number), 15)
				}
			}
			name := callOf(m)
			require.NotEmpty(t, strings.ToValidUTF8(name, "")+"x")
			require.LessOrEqual(t, len(name), maxCallID)
			sip.NewResponseFromRequest(m, sip.StatusNotFound, "Not Found", nil)
		}
	})
}
