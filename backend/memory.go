package backend

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

const (
	// In a calm minute, less than calm bytes are allocated.
	calm = 4 << 20
	// busy is how many bytes have been allocated before memory is given back.
	busy = 16 << 20
)

// pauses finds the pauses between times in which much is allocated. Both are bytes since the process began.
type pauses struct{ last, given uint64 }

// at tells whether there is one now, the first since then.
func (p *pauses) at(allocated uint64) bool {
	pause := allocated-p.last < calm && allocated-p.given >= busy
	if p.last = allocated; pause {
		p.given = allocated
	}
	return pause
}

// giveBack gives memory back to the system when the process has calmed down after a sign-in, a file or a rush. Go itself keeps as
// much again as is in use, for long. A process that is never calm is left alone.
func giveBack(ctx context.Context) {
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	for p := new(pauses); aside.Sleep(ctx, time.Minute); {
		if metrics.Read(allocated); p.at(allocated[0].Value.Uint64()) {
			debug.FreeOSMemory()
		}
	}
}
