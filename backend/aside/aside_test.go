package aside

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func TestAPanicIsLoggedAndEndsNothingElse(t *testing.T) {
	core, logs := observer.New(zapcore.InfoLevel)
	done := make(chan struct{})
	Go(zap.New(core), "looking around", func() {
		defer close(done)
		panic("what nobody has thought of")
	})
	<-done
	require.Eventually(t, func() bool { return logs.Len() == 1 }, time.Minute, time.Millisecond)
	entry := logs.All()[0]
	require.Equal(t, zapcore.ErrorLevel, entry.Level)
	require.Equal(t, "looking around", entry.ContextMap()["what"])
	require.Contains(t, entry.ContextMap()["stack"], "TestAPanicIsLoggedAndEndsNothingElse", "the stack of where it panicked")
	require.True(t, Do(zap.NewNop(), "", func() {}))
}

func TestWhatGoesOnIsBegunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var begun atomic.Int32
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			Keep(ctx, zap.NewNop(), "", func(ctx context.Context) {
				if begun.Add(1) < 3 {
					panic("no")
				}
				<-ctx.Done()
			})
		}()
		synctest.Wait()
		require.EqualValues(t, 1, begun.Load(), "not at once")
		time.Sleep(3 * pause)
		synctest.Wait()
		require.EqualValues(t, 3, begun.Load())
		cancel()
		<-ended
	})
}
