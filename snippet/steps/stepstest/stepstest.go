// Package stepstest holds work on what comes from outside to a price for each byte of it. The price is counted and not
// timed.
package stepstest

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Cost is what work has cost.
type Cost struct {
	// Walked are the bytes that were walked over; see [steps.Walk].
	Walked int64
	// Allocated are the bytes that were allocated.
	Allocated int64
}

// Price is what work may cost for each byte that it is given, and besides.
type Price struct{ Each, Besides Cost }

// Usual is the price of reading something.
var Usual = Price{Each: Cost{Walked: 64, Allocated: 64}, Besides: Cost{Walked: 16 << 10, Allocated: 128 << 10}}

// Of is what the work costs, and whatever else runs meanwhile.
func Of(work func()) Cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	walked := steps.Walked()
	work()
	walked = steps.Walked() - walked
	runtime.ReadMemStats(&after)
	return Cost{Walked: walked, Allocated: int64(after.TotalAlloc - before.TotalAlloc)}
}

// Hold does the work on so many bytes, and fails the test if that costs more than [Usual]. Work that is too dear is
// counted again when all is warm: libraries make some things ready when they are first asked. With the race detector
// only the walks count.
func Hold(t testing.TB, bytes int, work func()) {
	t.Helper()
	Usual.Hold(t, bytes, work)
}

// Hold is [Hold] with a price.
func (p Price) Hold(t testing.TB, bytes int, work func()) {
	t.Helper()
	most := Cost{p.Each.Walked*int64(bytes) + p.Besides.Walked, p.Each.Allocated*int64(bytes) + p.Besides.Allocated}
	spent := Of(work)
	if spent.Walked > most.Walked || spent.Allocated > most.Allocated {
		spent = warm(work)
	}
	require.LessOrEqual(t, spent.Walked, most.Walked, "bytes walked over for %d", bytes)
	if !Raced {
		require.LessOrEqual(t, spent.Allocated, most.Allocated, "bytes allocated for %d", bytes)
	}
}

// warm is what the work costs when it has just been done, the least of a few times. The garbage collector rests
// meanwhile: it empties the pools of libraries, and filling them would count. Those of package regexp hold some 80 KB for
// each expression. A pool also looks empty once when the scheduler has moved the work to another processor.
func warm(work func()) Cost {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	work()
	least := Of(work)
	for range 4 {
		spent := Of(work)
		least = Cost{min(least.Walked, spent.Walked), min(least.Allocated, spent.Allocated)}
	}
	return least
}
