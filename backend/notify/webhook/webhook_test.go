package webhook

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAddressesThatMayBeDialled(t *testing.T) {
	allowed := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/64")}
	for _, address := range []string{"93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"} {
		require.True(t, mayDial(netip.MustParseAddr(address), false, nil), address)
		require.False(t, mayDial(netip.MustParseAddr(address), true, allowed), "%s without TLS", address)
	}
	for _, address := range []string{
		"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "::ffff:192.168.0.1",
		"169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "fe80::1%eth0", "fd00::1", "fd00:ec2::254", "fc00::1", "100.64.0.1", "100.100.100.200", "168.63.129.16",
		"224.0.0.1", "ff02::1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1", "203.0.113.1", "192.0.0.192", "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1", "2001:db8::1", "::7f00:1", "fec0::1",
	} {
		require.False(t, mayDial(netip.MustParseAddr(address), false, nil), address)
	}
	for _, address := range []string{"10.1.2.3", "::ffff:10.1.2.3", "fd00:1::7"} {
		require.True(t, mayDial(netip.MustParseAddr(address), false, allowed), address)
		require.True(t, mayDial(netip.MustParseAddr(address), true, allowed), address)
	}
	require.False(t, mayDial(netip.MustParseAddr("10.2.0.1"), false, allowed))
}

func TestRetryAfter(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for text, pause := range map[string]time.Duration{"": 0, "soon": 0, "-5": 0, "0": 0, "7": 7 * time.Second, " 60 ": time.Minute, "3601": time.Hour,
		"9223372036854775807": time.Hour, "Sun, 22 Nov 2026 12:01:00 GMT": time.Minute, "Sun, 22 Nov 2026 11:00:00 GMT": 0, "Sun, 22 Nov 2099 11:00:00 GMT": time.Hour} {
		require.Equal(t, pause, retryAfter(text, noon), text)
	}
}
