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
		l.Of("a").Begin()
		l.Of("a").End(start, false)
	}
	require.Zero(t, l.Of("a").Wait(start), "nothing has counted")
	for range 2 {
		require.Zero(t, l.Of("a").Wait(start))
		l.Of("a").Begin()
	}
	require.Equal(t, UnderWay, l.Of("a").Wait(start), "two are under way")
	l.Of("a").End(start, true)
	l.Of("a").End(start, true)
	require.Equal(t, 2, l.Of("a").Counted(start))
	require.Equal(t, time.Minute, l.Of("a").Wait(start))
	require.Zero(t, l.Of("b").Wait(start))
	require.Zero(t, l.Of("a").Wait(start.Add(time.Minute)))
	require.Zero(t, l.Of("a").Counted(start.Add(2*time.Minute)))
}

// However many keys come, memory is bounded, and the latest are remembered.
func TestLimitRemembersTheLatest(t *testing.T) {
	l := New(1, time.Hour, 10)
	for i := range 100 {
		l.Of(fmt.Sprint(i)).End(start, true)
		require.LessOrEqual(t, l.keys.Len(), 10)
	}
	require.NotZero(t, l.Of("99").Wait(start))
	require.Zero(t, l.Of("0").Wait(start), "forgotten")
}

func TestNetworks(t *testing.T) {
	by := NewByNetwork(1, time.Minute)
	same := func(a, b string) bool {
		tallies, others := by.Of(Client(a)), by.Of(Client(b))
		return tallies[0] == others[0]
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
		tallies := by.Of(Client(fmt.Sprintf("2001:db8:0:%d::1", i)))
		require.Len(t, tallies, 2)
		if tallies[0].Wait(start) == 0 && tallies[1].Wait(start) == 0 {
			tallies[0].End(start, true)
			tallies[1].End(start, true)
			used++
		}
	}
	require.Equal(t, clients, used)
}
