package steps_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

func TestBound(t *testing.T) {
	taken := 0
	require.PanicsWithValue(t, steps.Exceeded{Loop: "a loop"}, func() {
		for bound := steps.Over(1000); ; taken++ {
			bound.Take("a loop")
		}
	})
	require.Greater(t, taken, 4*1000)
	require.Less(t, taken, 10*1000)
}
