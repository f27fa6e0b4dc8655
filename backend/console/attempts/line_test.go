package attempts

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waits lets somebody wait in the line, and returns when they do.
func waits(t *testing.T, l *line, ctx context.Context, tries int, came chan<- int) <-chan error {
	t.Helper()
	length := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.waiting)
	}
	before, end := length(), make(chan error, 1)
	go func() {
		err := l.enter(ctx, tries)
		if err == nil {
			came <- tries
		}
		end <- err
	}()
	require.Eventually(t, func() bool { return length() > before || length() == lineRoom }, time.Minute, time.Millisecond)
	return end
}

func TestLineLetsThoseFirstWhoHaveTriedLeast(t *testing.T) {
	l, came := newLine(1), make(chan int, lineRoom)
	require.NoError(t, l.enter(t.Context(), 9))
	for _, tries := range []int{3, 0, 2, 7, 1} {
		waits(t, l, t.Context(), tries, came)
	}
	for _, tries := range []int{0, 1, 2, 3, 7} {
		l.leave()
		require.Equal(t, tries, <-came)
	}
	l.leave()
	require.NoError(t, l.enter(t.Context(), 9), "the place is free again")
}

func TestFullLineTurnsThoseAwayWhoHaveTriedMost(t *testing.T) {
	l, came := newLine(1), make(chan int, 2*lineRoom)
	require.NoError(t, l.enter(t.Context(), 0))
	most := waits(t, l, t.Context(), 9, came)
	for range lineRoom - 1 {
		waits(t, l, t.Context(), 1, came)
	}
	waits(t, l, t.Context(), 0, came)
	require.ErrorIs(t, <-most, errLineFull)
	require.ErrorIs(t, l.enter(t.Context(), 1), errLineFull, "of equals, the last")
	l.leave()
	require.Equal(t, 0, <-came)
}

func TestLineForgetsThoseWhoLeave(t *testing.T) {
	l, came := newLine(1), make(chan int, lineRoom)
	require.NoError(t, l.enter(t.Context(), 0))
	ctx, cancel := context.WithCancel(t.Context())
	gone := waits(t, l, ctx, 0, came)
	waits(t, l, t.Context(), 5, came)
	cancel()
	require.ErrorIs(t, <-gone, context.Canceled)
	l.leave()
	require.Equal(t, 5, <-came)
}
