// Package rewrite measures how fast pages are copied in memory when they are looked through on the way, beside other
// rewriters.
package rewrite

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/seed-3405227d/frontdesk/bench/page"
)

// rewriter is one of the sides that copy pages in memory, changed or not.
type rewriter struct {
	name string
	// load takes a page, copies it once, and tells when what comes out is not what
	// it should be. The function that it gives goes on copying the page.
	load func(made []byte, p page.Page) (copies, error)
}

// copies copies a page for about as long as told, at least once.
type copies func(time.Duration) (spent, error)

// spent is what it took.
type spent struct {
	copies      int
	cpu         time.Duration // of the process, whatever else the machine does
	allocations int           // unknown for another process
}

const unknown = -1

// pageNames are the sizes that pages may have.
var pageNames = map[string]int{"10KB": 10 << 10, "100KB": 100 << 10, "1MB": 1 << 20, "10MB": 10 << 20}

// Run measures pages of the sizes, such as "10KB", for so many rounds of a slice for each side. bun is the program that has
// lol-html; without it, that side is left out. Files go into the folder.
func Run(ctx context.Context, folder, bun string, sizes []string, rounds int, slice time.Duration) error {
	sides := rewriters()
	if path, err := exec.LookPath(bun); err != nil {
		fmt.Printf("%s is not installed: measured without lol-html\n", bun)
	} else {
		for _, look := range []string{"head", "text"} {
			l, err := startLolHTML(path, folder, look)
			if err != nil {
				return fmt.Errorf("starting %s: %w", path, err)
			}
			defer l.stop()
			sides = append(sides, rewriter{"lol-html in Bun, " + look, l.load})
		}
	}
	fmt.Printf("Pages copied in memory, %d rounds of %v for each side in turns, in pieces of %d KB; GB for a second of CPU time\n", rounds, slice, piece>>10)
	for _, name := range sizes {
		size, ok := pageNames[name]
		if !ok {
			return fmt.Errorf("unknown size %q: expected 10KB, 100KB, 1MB or 10MB", name)
		}
		for _, p := range []page.Page{{Size: size}, {Size: size, Numbers: 20}, {Size: size, Numbers: 20, Cyrillic: true}, {Size: size, Numbers: 2000}} {
			if !p.Fits() {
				continue
			}
			if err := compare(ctx, sides, name, p, rounds, slice); err != nil {
				return err
			}
		}
	}
	return nil
}

func compare(ctx context.Context, sides []rewriter, size string, p page.Page, rounds int, slice time.Duration) error {
	made := p.Make()
	running := make([]copies, len(sides))
	for i, s := range sides {
		var err error
		if running[i], err = s.load(made, p); err != nil {
			return fmt.Errorf("%s: page of %s with %d numbers: %w", s.name, size, p.Numbers, err)
		}
	}
	speed := make([][]float64, len(sides))  // GB/s in each round
	ratios := make([][]float64, len(sides)) // to the first side in the same round
	allocations := make([]float64, len(sides))
	for range rounds {
		for i, s := range sides {
			if err := ctx.Err(); err != nil {
				return err
			}
			took, err := running[i](slice)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			gigabytes := float64(took.copies) * float64(len(made)) / 1e9
			speed[i] = append(speed[i], gigabytes/took.cpu.Seconds())
			ratios[i] = append(ratios[i], speed[i][len(speed[i])-1]/speed[0][len(speed[0])-1])
			allocations[i] = float64(took.allocations) / float64(took.copies)
		}
	}
	script := ""
	if p.Cyrillic {
		script = ", Cyrillic"
	}
	fmt.Printf("\n%s, %d numbers%s\n%-34s %10s %10s %14s %14s\n", size, p.Numbers, script, "", "GB/s", "best", "of "+sides[0].name, "allocations")
	for i, s := range sides {
		allocated := ""
		if allocations[i] >= 0 {
			allocated = fmt.Sprintf("%.4g", allocations[i])
		}
		fmt.Printf("%-34s %10.3f %10.3f %13.2f%% %14s\n", s.name, median(speed[i]), slices.Max(speed[i]), 100*median(ratios[i]), allocated)
	}
	return nil
}

// repeat measures what this process does.
func repeat(once func() error) copies {
	return func(slice time.Duration) (spent, error) {
		runtime.GC() // what others left
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		from, began, n := ownCPU(), time.Now(), 0
		for n == 0 || time.Since(began) < slice {
			if err := once(); err != nil {
				return spent{}, err
			}
			n++
		}
		cpu := ownCPU() - from
		runtime.ReadMemStats(&after)
		return spent{copies: n, cpu: cpu, allocations: int(after.Mallocs - before.Mallocs)}, nil
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func ownCPU() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // fails only for unknown arguments
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
