package stepstest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestOf(t *testing.T) {
	var kept []byte
	spent := stepstest.Of(func() {
		steps.Walk(10)
		kept = make([]byte, 1<<20)
		steps.Walk(len(kept))
	})
	require.Equal(t, int64(10+1<<20), spent.Walked)
	require.GreaterOrEqual(t, spent.Allocated, int64(1<<20))
	require.Less(t, spent.Allocated, int64(2<<20))
}
