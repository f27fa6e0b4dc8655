package api

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimitsRecover(t *testing.T) {
	l := newLimits(2, 3)
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
