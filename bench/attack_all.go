package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// attackAll runs a server in so much memory under all of the worst at once, with two consoles open, and fails when it
// ends, or when a page is refused.
func attackAll(ctx context.Context, folder, caddy string, megabytes int, duration time.Duration) error {
	v, err := startVictim(ctx, folder, caddy, "sqlite "+filepath.Join(folder, "all.db"), megabytes)
	if err != nil {
		return err
	}
	defer v.stop()
	fmt.Printf("Everything at once for %v in %d MB of memory, with two consoles open\n", duration, megabytes)
	var desks []*openDesk
	for range 2 {
		d, err := v.openConsole(ctx)
		if err != nil {
			return err
		}
		defer d.close()
		desks = append(desks, d)
	}
	kinds, err := v.honest(ctx, 4)
	if err != nil {
		return err
	}
	attacking, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	running.Go(func() { v.watch(attacking, megabytes) })
	for i, w := range worsts { // each from a network of its own, or one would have the others refused
		running.Go(func() { w.run(attacking, v, fmt.Sprintf("10.252.%d.1", i)) })
	}
	outcomes := goOn(ctx, v.shop, kinds, duration)
	peak, err := v.peak()
	if err != nil {
		return fmt.Errorf("the server did not live: %w: %.2000s", err, v.output.String())
	}
	return v.report(kinds, outcomes, desks, peak)
}

// outcome is what became of the requests of one kind.
type outcome struct {
	answered, refused int
	slowest           time.Duration
	last              error
}

// goOn has the honest clients of all kinds go on for the duration.
func goOn(ctx context.Context, shop string, kinds []honest, duration time.Duration) []outcome {
	outcomes := make([]outcome, len(kinds))
	var honest sync.WaitGroup
	over, end := context.WithTimeout(ctx, duration)
	defer end()
	for i, kind := range kinds {
		var mu sync.Mutex
		o := &outcomes[i]
		for _, c := range kind.clients {
			honest.Go(func() {
				for over.Err() == nil {
					l, err := paced(c, 10).run(over, shop)
					mu.Lock()
					o.answered += l.requests
					if len(l.latencies) > 0 {
						o.slowest = max(o.slowest, slices.Max(l.latencies))
					}
					if err != nil && over.Err() == nil {
						o.refused++
						o.last = err
					}
					mu.Unlock()
				}
			})
		}
	}
	honest.Wait()
	return outcomes
}

// report prints what became of all, and says whether somebody suffered.
func (v *victim) report(kinds []honest, outcomes []outcome, desks []*openDesk, peak int64) error {
	var failed error
	for i, kind := range kinds {
		o := outcomes[i]
		fmt.Printf("%-8s %8d answered, %d refused, the slowest after %v", kind.what, o.answered, o.refused, o.slowest.Round(time.Millisecond))
		if o.last != nil {
			fmt.Printf(" (%v)", o.last)
		}
		fmt.Println()
		if kind.what == "pages" && (o.refused > 0 || o.answered == 0) {
			failed = errors.Join(failed, errors.New("pages were refused"))
		}
	}
	for _, d := range desks {
		fmt.Printf("console  %8d lists shown, %d not, %d KB of events\n", d.lists.Load()-d.failed.Load(), d.failed.Load(), d.bytes.Load()>>10)
	}
	fmt.Printf("calls    %8d right ones told, %d refused; of the attackers' %d calls %d refused\n", v.told.Load(), v.wronged.Load(), v.sent.Load(), v.refused.Load())
	fmt.Printf("memory   %8.0f MB at most\n", mega(peak))
	if v.wronged.Load() > 0 {
		failed = errors.Join(failed, errors.New("right telephone events were refused"))
	}
	return failed
}

// memoryFolders are where the kernel bounds the memory of groups of processes, and the file that holds the bound: in
// version 2 of control groups, and in version 1.
var memoryFolders = []struct{ folder, bound string }{
	{"/sys/fs/cgroup", "memory.max"}, {"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
}

// confined is the command in a group of its own that the kernel ends when it takes more memory than so many MB. done
// takes the group away. Where nobody may make a group, it is the command itself, and only [victim.watch] ends it.
func confined(megabytes int, command []string) (within []string, done func()) {
	for _, kernel := range memoryFolders {
		group := filepath.Join(kernel.folder, fmt.Sprintf("frontdesk-bench-%d", os.Getpid()))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		done = func() { os.Remove(group) }
		bound, err := os.OpenFile(filepath.Join(group, kernel.bound), os.O_WRONLY, 0) // the kernel has made it, or this is no group
		if err == nil {
			_, err = fmt.Fprint(bound, megabytes<<20)
			bound.Close()
		}
		if err != nil {
			done()
			continue
		}
		return append([]string{"/bin/sh", "-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, group}, command...), done
	}
	fmt.Println("No group of processes could be made whose memory the kernel bounds: the server's own is watched")
	return command, func() {}
}

// watch ends the server as soon as it takes more memory than so many MB.
func (v *victim) watch(ctx context.Context, megabytes int) {
	for ctx.Err() == nil {
		if resident, err := v.resident(); err == nil && mega(resident) > float64(megabytes) {
			fmt.Printf("The server has taken %.0f MB and is ended\n", mega(resident))
			v.cmd.Process.Kill()
			return
		}
		pause(ctx, 50*time.Millisecond)
	}
}
