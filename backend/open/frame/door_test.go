package frame

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDearCallsOfATokenAreBounded(t *testing.T) {
	l := newLimits(time.Now)
	first, entered := l.enter(1)
	require.True(t, entered)
	second, entered := l.enter(1)
	require.True(t, entered)
	_, entered = l.enter(1)
	require.False(t, entered)
	other, entered := l.enter(2)
	require.True(t, entered, "another token waits for nobody")
	first()
	first, entered = l.enter(1)
	require.True(t, entered)
	first()
	second()
	other()
	require.Empty(t, l.dear)
}
