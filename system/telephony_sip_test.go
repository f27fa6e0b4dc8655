package system

import (
	"crypto/rand"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/siptest"
)

// trunked is a shop with a trunk at 127.0.0.1, on the database that is put in.
const trunked = `{
	admin $ADMIN
	metrics
	frontdesk {
		database DATABASE
		telephony sip {
			listen udp/127.0.0.1:$SIP
			trunk 127.0.0.1:$TRUNK
			destination 74950000000
			region RU
		}
	}
}
http://localhost:$PORT {
	frontdesk shop {
		number 74951234567 {
			static 74957654321 utm_source=news*
		}
	}
	respond ok
}`

func trunkedOn(t *testing.T, database string) (caddyfile, exchange string) {
	port, trunk := strconv.Itoa(siptest.Port(t)), strconv.Itoa(siptest.Port(t))
	return strings.NewReplacer("DATABASE", database, "$SIP", port, "$TRUNK", trunk).Replace(trunked), "127.0.0.1:" + port
}

// inviteBySIP calls the number at the exchange, and returns the response.
func inviteBySIP(t *testing.T, exchange, called, id string) string {
	t.Helper()
	c, err := net.Dial("udp4", exchange)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Write([]byte(strings.NewReplacer("\n", "\r\n", "CALLED", called, "OWN", c.LocalAddr().String(), "$ID", id, "$TRY", rand.Text()).Replace(`INVITE sip:CALLED@trunk.test SIP/2.0
Via: SIP/2.0/UDP OWN;branch=z9hG4bK$TRY
From: <sip:+79123456789@trunk.test>;tag=f$ID
To: <sip:CALLED@trunk.test>
Call-ID: $ID
CSeq: 1 INVITE
Contact: <sip:x@OWN>
Max-Forwards: 70
Content-Length: 0

`)))
	require.NoError(t, err)
	c.SetReadDeadline(time.Now().Add(wait))
	for b := make([]byte, 65536); ; {
		n, err := c.Read(b)
		require.NoError(t, err)
		if answer := string(b[:n]); !strings.HasPrefix(answer, "SIP/2.0 100") {
			return answer
		}
	}
}

func TestSIPCallIsRedirected(t *testing.T) {
	configuration, exchange := trunkedOn(t, "sqlite $DIR/frontdesk.db")
	s := run(t, configuration).Ready()
	for _, id := range []string{"a", "a", "b"} {
		require.Eventually(t, func() bool { // whom the database has not told in time is put through all the same
			answer := inviteBySIP(t, exchange, "84957654321", id)
			require.True(t, strings.HasPrefix(answer, "SIP/2.0 302 "), answer)
			return strings.Contains(answer, "Contact: <sip:74951234567@127.0.0.1>")
		}, wait, tick)
	}
	answer := inviteBySIP(t, exchange, "74959999999", "c")
	require.Contains(t, answer, "Contact: <sip:74950000000@127.0.0.1>", "nobody has the number")
	answer = inviteBySIP(t, exchange, "74950000000", "destination")
	require.True(t, strings.HasPrefix(answer, "SIP/2.0 404 "), answer)
	var calls []call.Call
	require.Eventually(t, func() bool { calls = s.storedCalls(); return len(calls) == 2 }, wait, tick)
	for _, c := range calls {
		require.Equal(t, "sip", c.Platform)
		require.Equal(t, "79123456789", c.Caller)
		require.Equal(t, call.Campaign, c.Reason)
		require.Empty(t, c.Status, "how it has ended is not known")
	}
	metrics := s.Get("http://" + s.Admin + "/metrics").Content
	require.Contains(t, metrics, `frontdesk_sip_total{outcome="redirected"} 3`)
	require.Contains(t, metrics, `frontdesk_sip_total{outcome="fallback"} `)
	require.Contains(t, metrics, `frontdesk_sip_total{outcome="unknown"} 1`)
	require.Contains(t, metrics, `frontdesk_sip_registered 0`)

	require.Contains(t, s.Get("http://"+s.Admin+"/frontdesk/health").Content, `"sip":{"calls":0}`)

	// The exchange outlives a reload, and goes with its trunk.
	require.NoError(t, s.Load(configuration))
	require.Contains(t, inviteBySIP(t, exchange, "74957654321", "d"), "SIP/2.0 302 ")
	moved := strings.Replace(configuration, exchange, "127.0.0.1:"+strconv.Itoa(siptest.Port(t)), 1)
	require.NoError(t, s.Load(moved))
	freed, err := net.ListenPacket("udp4", exchange)
	require.NoError(t, err, "nobody listens there any more")
	defer freed.Close()

	// What is in use refuses the configuration, and the one before goes on.
	err = s.Load(configuration)
	require.ErrorContains(t, err, "listening for SIP at udp/"+exchange)
	require.ErrorContains(t, err, "address already in use")
	require.ErrorContains(t, err, "Caddyfile:7: telephony sip")
	require.Contains(t, s.Get("http://localhost:$PORT/").Content, "ok")
	require.NoError(t, s.Load(option+tracked))
	require.NotContains(t, s.Get("http://"+s.Admin+"/frontdesk/health").Content, `"sip"`)
}

// Callers are sent on while there is no database.
func TestSIPCallWithoutDatabase(t *testing.T) {
	configuration, exchange := trunkedOn(t, `postgres "postgres://frontdesk@localhost:$PORT2/frontdesk?connect_timeout=2"`)
	run(t, configuration)
	answer := inviteBySIP(t, exchange, "74957654321", "a")
	require.True(t, strings.HasPrefix(answer, "SIP/2.0 302 "), answer)
	require.Contains(t, answer, "Contact: <sip:74950000000@")
}
