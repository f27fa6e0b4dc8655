package selector

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Selectors for which the stream has no room need the whole page.
func TestRoomForSelectors(t *testing.T) {
	var p Program
	for i := range 1000 {
		require.NoError(t, p.Add(fmt.Sprintf("div > .a%d b", i), i))
	}
	p.Prepare()
	require.LessOrEqual(t, len(p.parts), maxParts)
	require.Greater(t, len(p.parts), maxParts-3)
	require.True(t, p.Streams(func(place int) bool { return place == 0 }))
	require.False(t, p.NeedsWhole(func(place int) bool { return place == 0 }))
	require.True(t, p.NeedsWhole(func(place int) bool { return place == 999 }))
}
