// Package console measures how soon the pages of the console can be used, with few sites and leads and with many.
package console

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// The aims for each page, when it is not the first.
const (
	mostBytes = 16 << 10
	mostWait  = 300 * time.Millisecond
)

// slowness is how many times slower the browser's processor is.
const slowness = 4

// Tools are what the measurement is made with.
type Tools struct {
	// Start runs the program with the configuration, and returns when the address answers.
	Start func(config, address string) (stop func(), err error)
	// Browser starts Chromium.
	Browser func() (browser context.Context, stop func(), err error)
	// Address is a free one of this machine.
	Address func() (string, error)
}

// Size is how much a database has.
type Size struct{ Sites, Leads int }

// small is the size beside which others are measured.
var small = Size{10, 10}

// Run opens the console's pages with ten sites and ten leads, and with the size, on both engines.
func Run(ctx context.Context, folder string, tools Tools, large Size, rounds int) error {
	browser, stop, err := tools.Browser()
	if err != nil {
		return err
	}
	defer stop()
	for _, engine := range []string{db.SQLite, db.Postgres} {
		var sides []map[string]view
		var names []string
		for _, size := range []Size{small, large} {
			m := measurement{tools: tools, browser: browser, rounds: rounds}
			side, opened, err := m.of(ctx, folder, engine, size)
			if err != nil {
				return fmt.Errorf("%s, %d leads: %w", engine, size.Leads, err)
			}
			sides, names = append(sides, side), opened
		}
		report(engine, names, sides, []Size{small, large})
	}
	return nil
}

// of makes a database of the size, and measures.
func (m *measurement) of(ctx context.Context, folder, engine string, size Size) (views map[string]view, names []string, err error) {
	m.settings = db.Settings{Engine: engine, Source: filepath.Join(folder, fmt.Sprintf("console%d.db", size.Leads))}
	if engine == db.Postgres {
		postgres, err := dbtest.StartServer("")
		if err != nil {
			return nil, nil, err
		}
		defer postgres.Remove()
		m.settings.Source = postgres.Source()
	}
	begun := time.Now()
	if err := Fill(ctx, m.settings, size.Sites, size.Leads); err != nil {
		return nil, nil, err
	}
	fmt.Printf("%s: %d sites and %d leads made in %v\n", engine, size.Sites, size.Leads, time.Since(begun).Round(time.Second))
	return m.run(ctx, size)
}

// report prints what was measured of each page at each size, and how many pages miss the aims.
func report(engine string, names []string, sides []map[string]view, sizes []Size) {
	fmt.Printf("\nPages of the console on %s, not the first, the browser's processor %d times slower; medians, times in ms\n%-24s", engine, slowness, "")
	for _, s := range sizes {
		fmt.Printf(" | %40s", fmt.Sprintf("%d sites, %d leads", s.Sites, s.Leads))
	}
	fmt.Printf("\n%-24s", "")
	for range sizes {
		fmt.Printf(" | %8s %8s %6s %6s %8s", "bytes", "elements", "server", "usable", "(least)")
	}
	fmt.Println()
	heavy, slow := make([]int, len(sizes)), make([]int, len(sizes))
	for _, name := range names {
		fmt.Printf("%-24s", name)
		for i := range sizes {
			v := sides[i][name]
			fmt.Printf(" | %8d %8d %6.0f %6.0f %8.0f", v.bytes, v.elements, ms(median(v.server)), ms(median(v.usable)), ms(slices.Min(v.usable)))
			if v.bytes > mostBytes {
				heavy[i]++
			}
			if median(v.usable) > mostWait {
				slow[i]++
			}
		}
		fmt.Println()
	}
	var said []string
	for i, s := range sizes {
		said = append(said, fmt.Sprintf("with %d sites %d are above %d KB, and %d above %v", s.Sites, heavy[i], mostBytes>>10, slow[i], mostWait))
	}
	fmt.Printf("Of %d pages, %s\n\n", len(names), strings.Join(said, "; "))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median(values []time.Duration) time.Duration {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}
