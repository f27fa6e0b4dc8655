package gate

import (
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimitsRecover(t *testing.T) {
	l := NewLimits(3, time.Second/2)
	client := netip.MustParseAddr("192.0.2.1")
	now := time.Unix(1_700_000_000, 0)
	for range 3 {
		require.Zero(t, l.take(client, now))
	}
	require.Equal(t, 500*time.Millisecond, l.take(client, now))
	require.Equal(t, 500*time.Millisecond, l.take(client, now), "being refused costs nothing")
	now = now.Add(500 * time.Millisecond)
	require.Zero(t, l.take(client, now))
	require.NotZero(t, l.take(client, now))
}

// Large bodies count as many calls, also beyond what may be called at once.
func TestLimitsWeigh(t *testing.T) {
	l := NewLimits(3, time.Second/2)
	client, other := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::1:0:0:0:1")
	now := time.Unix(1_700_000_000, 0)
	require.Zero(t, l.take(client, now))
	l.weigh(client, now, weightOfRequest-1)
	require.Zero(t, l.take(client, now))
	l.weigh(client, now, 8*weightOfRequest+1)
	require.Equal(t, 4*time.Second, l.take(client, now), "10 are counted, and 2 a second forgotten")
	require.Zero(t, l.take(other, now), "another network")
	require.Zero(t, l.take(client, now.Add(4*time.Second)))
}

func TestNetworkOfAClient(t *testing.T) {
	for _, c := range []struct{ address, proxied, network string }{
		{"192.0.2.77:1", "", "192.0.2.0/24"},
		{"[2001:db8:1:2::3]:1", "", "2001:db8:1::/48"},
		{"192.0.2.77:1", "203.0.113.5", "192.0.2.0/24"}, // nobody's word counts
		{"10.1.2.3:1", "", "10.1.2.0/24"},
		{"10.1.2.3:1", "203.0.113.5", ""}, // a proxy, for all its visitors
		{"127.0.0.1:1", "203.0.113.5", ""},
		{"127.0.0.1:1", "", ""},
		{"@", "", ""},
	} {
		r := httptest.NewRequest("POST", "/", nil)
		r.RemoteAddr = c.address
		if c.proxied != "" {
			r.Header.Set("X-Forwarded-For", c.proxied)
		}
		require.Equal(t, c.network, NetworkOf(r), c.address)
	}
}
