package backend

import (
	"testing"

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
