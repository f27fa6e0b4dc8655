package backend

import (
	"context"
	"os"
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

const (
	// rushLook is the time between two looks at how much is allocated. In a rush, rushed bytes are allocated in it.
	rushLook = 5 * time.Second
	rushed   = 16 << 20
	// room is how many bytes may be allocated from one collection of garbage to the next in a rush. Go takes as many as
	// are in use: of a small process, which has little in use, it would collect dozens of times a second.
	room = 64 << 20
)

// percent is the percentage of garbage (GOGC) for a rush in which live bytes are in use.
func percent(live uint64) int { return int(max(100, 100*room/max(live, 4<<20))) }

// collectLess has garbage collected less often in a rush. Where GOGC is set, it does nothing. The limit of memory
// (GOMEMLIMIT), which Caddy sets by what the machine has, goes before.
func collectLess(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	const usual = 100
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"}}
	defer debug.SetGCPercent(usual)
	metrics.Read(samples)
	now, last := usual, samples[0].Value.Uint64()
	for aside.Sleep(ctx, rushLook) {
		metrics.Read(samples)
		allocated, wanted := samples[0].Value.Uint64(), usual
		if allocated-last >= rushed {
			wanted = percent(samples[1].Value.Uint64())
		}
		last = allocated
		if wanted != now {
			debug.SetGCPercent(wanted)
			now = wanted
		}
	}
}
