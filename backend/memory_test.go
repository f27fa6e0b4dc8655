package backend

import (
	"context"
	"runtime/metrics"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMemoryIsGivenBackOnceInEachPause(t *testing.T) {
	const megabyte = 1 << 20
	var p pauses
	for minute, c := range []struct {
		allocated uint64 // in this minute, in megabytes
		pause     bool
	}{
		{2, false}, // little has been allocated
		{50, false},
		{40, false},
		{1, true},
		{1, false},
		{3, false},
		{3, false},
		{20, false},
		{3, true},
	} {
		allocated := p.last + c.allocated*megabyte
		require.Equal(t, c.pause, p.at(allocated), "minute %d", minute)
	}
}

func TestGarbageIsCollectedLessInARush(t *testing.T) {
	t.Setenv("GOGC", "")
	require.Equal(t, 640, percent(10<<20))
	require.Equal(t, 1600, percent(0), "and no more")
	require.Equal(t, 100, percent(64<<20))
	require.Equal(t, 100, percent(4<<30))

	set := func() int {
		now := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(now)
		return int(now[0].Value.Uint64())
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		go collectLess(ctx)
		synctest.Wait()
		var kept []byte
		for range 2 * rushed >> 20 {
			kept = make([]byte, 1<<20)
		}
		require.Len(t, kept, 1<<20)
		time.Sleep(rushLook + time.Second)
		require.Greater(t, set(), 100)
		time.Sleep(rushLook)
		require.Equal(t, 100, set())
		stop()
		synctest.Wait()
	})
}
