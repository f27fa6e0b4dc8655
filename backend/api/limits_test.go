package api

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimitsRecover(t *testing.T) {
	l := newLimits(2, 3)
	client := netip.MustParsePrefix("192.0.2.1/32")
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

// The addresses of a period are remembered through the next, and however many
// call, memory is bounded.
func TestLimitsForget(t *testing.T) {
	l := newLimits(0.001, 1)
	client := netip.MustParsePrefix("192.0.2.1/32")
	now := time.Unix(1_700_000_000, 0)
	require.Zero(t, l.take(client, now))
	now = now.Add(limitPeriod + time.Second)
	require.NotZero(t, l.take(client, now))

	for i := range 3 * limitAddresses {
		address := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		l.take(netip.PrefixFrom(address, 32), now)
		require.LessOrEqual(t, len(l.recent)+len(l.earlier), 2*limitAddresses)
	}
	require.Zero(t, l.take(client, now), "forgotten")
}
