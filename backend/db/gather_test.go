package db

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Where a processor is long in coming, a group does not wait for each write that comes meanwhile: its first would wait
// for hundreds of turns.
func TestAGroupIsSoonGathered(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	g := newGroups(1, 1)[0]
	done := make(chan bool)
	defer close(done)
	go func() { // hands in a write at each of its turns, of which few fit into the bound
		for {
			for began := time.Now(); time.Since(began) < gatherTime/4; {
			}
			select {
			case <-done:
				return
			case g.queue <- new(write):
				runtime.Gosched()
			}
		}
	}()
	require.Less(t, len(g.gather([]*write{new(write)})), 10)
}
