package rush_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit/rush"
)

func TestOneSiteDoesNotHoldUpAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines rush.Lines
		var running sync.WaitGroup
		begun, hold := 0, make(chan struct{})
		var mu sync.Mutex
		for range rush.AtOnce + 10 {
			running.Go(func() {
				_ = lines.Pass(t.Context(), 1, func() error {
					mu.Lock()
					begun++
					mu.Unlock()
					<-hold
					return nil
				})
			})
		}
		synctest.Wait()
		require.Equal(t, rush.AtOnce, begun)
		passed := false
		require.NoError(t, lines.Pass(t.Context(), 2, func() error { passed = true; return nil }))
		require.True(t, passed)

		// Who does not want to wait any more leaves the line.
		ctx, stop := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			left <- lines.Pass(ctx, 1, func() error { panic("nobody waits for it") })
		}()
		synctest.Wait()
		stop()
		require.ErrorIs(t, <-left, context.Canceled)

		close(hold)
		running.Wait()
		require.Equal(t, rush.AtOnce+10, begun, "all have their turn")
		require.Zero(t, lines.Sites(), "nothing is kept of a site without a rush")
	})
}

func BenchmarkPass(b *testing.B) {
	var lines rush.Lines
	for b.Loop() {
		_ = lines.Pass(b.Context(), 1, func() error { return nil })
	}
}
