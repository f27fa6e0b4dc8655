package pace

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var start = time.Unix(1_700_000_000, 0)

func TestLimitCountsWhatEndsAsCounted(t *testing.T) {
	l := New(2, time.Minute, 10)
	for range 5 {
		l.At("a").Begin()
		l.At("a").End(start, false)
	}
	require.Zero(t, l.At("a").Wait(start), "nothing has counted")
	for range 2 {
		require.Zero(t, l.At("a").Wait(start))
		l.At("a").Begin()
	}
	require.Equal(t, UnderWay, l.At("a").Wait(start), "two are under way")
	l.At("a").End(start, true)
	l.At("a").End(start, true)
	require.Equal(t, 2, l.At("a").Counted(start))
	require.Equal(t, time.Minute, l.At("a").Wait(start))
	require.Zero(t, l.At("b").Wait(start))
	require.Zero(t, l.At("a").Wait(start.Add(time.Minute)))
	require.Zero(t, l.At("a").Counted(start.Add(2*time.Minute)))
}

// However many keys come, memory is bounded, and the latest are remembered.
func TestLimitRemembersTheLatest(t *testing.T) {
	l := New(1, time.Hour, 10)
	for i := range 100 {
		l.At(fmt.Sprint(i)).End(start, true)
		require.LessOrEqual(t, l.tallies.Len(), 10)
	}
	require.NotZero(t, l.At("99").Wait(start))
	require.Zero(t, l.At("0").Wait(start), "forgotten")
}

func TestNetworks(t *testing.T) {
	by := NewByNetwork(1, time.Minute)
	same := func(a, b string) bool {
		places, others := by.Of(Client(a)), by.Of(Client(b))
		return places[0] == others[0]
	}
	require.True(t, same("192.0.2.1:80", "192.0.2.1"))
	require.True(t, same("192.0.2.1:80", "[::ffff:192.0.2.1]:443"))
	require.False(t, same("192.0.2.1", "192.0.2.2"))
	require.True(t, same("[2001:db8::1]:80", "2001:db8::2"))
	require.True(t, same("fe80::1%eth0", "fe80::2%eth1"))
	require.False(t, same("2001:db8:0:1::1", "2001:db8:0:2::1"))
	require.True(t, same("@", ""), "what has no address is one client")

	used := 0
	for i := range 10 { // the networks of one /48
		places := by.Of(Client(fmt.Sprintf("2001:db8:0:%d::1", i)))
		require.Len(t, places, 2)
		if places[0].Wait(start) == 0 && places[1].Wait(start) == 0 {
			places[0].End(start, true)
			places[1].End(start, true)
			used++
		}
	}
	require.Equal(t, clients, used)
}
