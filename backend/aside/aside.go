// Package aside runs what goes on beside requests. A server outlives a panic in a request; in any
// other goroutine a panic would end the process, with all its sites.
package aside

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// pause is the time before what has panicked is begun again.
const pause = time.Second

// Go runs f in a goroutine of its own, as [Do] does.
func Go(logger *zap.Logger, what string, f func()) { go Do(logger, what, f) }

// Do runs f, and returns true when it has returned. A panic of f ends f alone: it is logged with
// its stack, beside what f was for.
func Do(logger *zap.Logger, what string, f func()) (well bool) {
	defer func() {
		if cause := recover(); cause != nil {
			logger.Error("a goroutine panicked", zap.String("what", what), zap.Any("cause", cause), zap.Stack("stack"))
		}
	}()
	f()
	return true
}

// Keep runs f, which works until ctx ends. When f has panicked, it is begun again after a second.
func Keep(ctx context.Context, logger *zap.Logger, what string, f func(context.Context)) {
	for !Do(logger, what, func() { f(ctx) }) && Sleep(ctx, pause) {
	}
}

// Every does something every so often, and once more when ctx ends, which the work itself does not hear of. Of failures one
// after the other, the first is logged as a warning that says what has failed.
func Every(ctx context.Context, pause time.Duration, logger *zap.Logger, failed string, do func(context.Context) error) {
	again := time.NewTicker(pause)
	defer again.Stop()
	failing := false
	for going := true; going; {
		select {
		case <-ctx.Done():
			going = false
		case <-again.C:
		}
		err := do(context.WithoutCancel(ctx))
		if err != nil && !failing {
			logger.Warn(failed, zap.Error(err))
		}
		failing = err != nil
	}
}

// Sleep waits. It returns false, at once, when ctx ends.
func Sleep(ctx context.Context, d time.Duration) (awake bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
