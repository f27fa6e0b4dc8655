package live

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Streams whose clients do not read end late. They are counted until then.
func TestStreamsThatDoNotEndAreBounded(t *testing.T) {
	s := newStreams()
	var leaves []func()
	yielding := 0
	for range 2 * accountStreams {
		_, yield, leave, ok := s.enter(1)
		require.True(t, ok)
		leaves = append(leaves, func() {
			select {
			case <-yield:
				yielding++
			default:
			}
			leave()
		})
	}
	_, _, _, ok := s.enter(1)
	require.False(t, ok)
	_, _, leave, ok := s.enter(2)
	require.True(t, ok, "another account")
	leave()
	for _, leave := range leaves {
		leave()
	}
	require.Equal(t, accountStreams, yielding)
	require.Empty(t, s.of)
	_, _, leave, ok = s.enter(1)
	require.True(t, ok)
	leave()
	s.Close()
}
