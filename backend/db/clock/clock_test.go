package clock

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

func answers(at time.Time, err error) func(context.Context) (time.Time, error) {
	return func(context.Context) (time.Time, error) { return at, err }
}

func begun(t *testing.T, ask func(context.Context) (time.Time, error)) *Clock {
	t.Helper()
	return New(t.Context(), ask, zap.NewNop())
}

func is(t *testing.T, c *Clock, at time.Time) {
	t.Helper()
	require.WithinDuration(t, at, c.Now(), time.Minute)
}

// A clock begins as the database's, or as the machine's where that does not answer.
func TestClockBegins(t *testing.T) {
	t.Parallel()
	machine := time.Now()
	is(t, begun(t, answers(machine.Add(time.Hour), nil)), machine.Add(time.Hour))
	is(t, begun(t, answers(time.Time{}, errors.New("it is away"))), machine)
}

// Somebody sets one of the clocks, and the others say that it is wrong; or both are put right.
func TestOfThreeClocksTheOneInTheMiddle(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, off := range []time.Duration{time.Hour, -time.Hour} {
		c := begun(t, answers(now, nil))
		c.compare(now.Add(off), now)
		is(t, c, now)
		c.compare(now, now.Add(off))
		is(t, c, now)
		c.compare(now.Add(off), now.Add(off))
		is(t, c, now.Add(off))
		c.compare(now.Add(off), now)
		is(t, c, now.Add(off))
		c.compare(now, now)
		is(t, c, now)
	}
}

// A clock that is right goes on as the machine's, to the part of a second.
func TestAClockThatIsRightIsLeftAlone(t *testing.T) {
	t.Parallel()
	c := begun(t, answers(time.Now().Add(900*time.Millisecond), nil))
	c.compare(time.Now(), time.Now().Add(-900*time.Millisecond))
	require.WithinDuration(t, time.Now(), c.Now(), 500*time.Millisecond)
}
