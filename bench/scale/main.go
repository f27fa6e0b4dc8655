// Command scale says what an installation of a size needs, by arithmetic from what was measured. It prints the table of
// docs/sizing.md; -views, -sites and -days give one row.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// What was measured, on the cores and days of docs/benchmarks.md.
const (
	pageCPU    = 112 * time.Microsecond // of a node for a page of 10 KB with three numbers: bench pages -numbers, 82 µs of Caddy times 1.36
	hitCPU     = 95 * time.Microsecond  // of a node for a page view that is stored: bench hits
	hitBaseCPU = 60 * time.Microsecond  // of PostgreSQL for the same
	leadCPU    = 256 * time.Microsecond // of a node for a form that is a lead: bench forms -spool
	leadBase   = 217 * time.Microsecond // of PostgreSQL for the same
	hitDisk    = 467                    // bytes of a page view on PostgreSQL with its visit, visitor and figures: bench size, bench reports
	hitLog     = 960                    // bytes of PostgreSQL's log for the same, which standbys are sent: go test -bench View$ ./backend/visit
	leadDisk   = 4 << 10                // bytes of a lead with its texts, search and journal, on the safe side
	nodeMemory = 137 << 20              // bytes of a node just used: bench memory -idle
	siteMemory = 8 << 10                // bytes of a node for each site: bench hosting
	siteStart  = 17 * time.Microsecond  // of a node's start for each site: bench hosting
)

// What is assumed.
const (
	views    = 200 // page views for each lead
	rush     = 3   // the busiest hour beside the mean
	busy     = 0.5 // of a core that is counted on
	dayParts = 24 * 60 * 60
)

// need is what an installation takes.
type need struct {
	peak        float64 // page views a second in the busiest hour
	nodes       float64 // cores of all nodes together
	base        float64 // cores of the database
	log         float64 // bytes a second that the database writes and sends in the busiest hour
	day, stored float64 // bytes on its disk, of a day and of all days that are kept
	memory      float64 // bytes of each node
	start       time.Duration
}

func of(sites, viewsADay float64, days int) need {
	peak := viewsADay / dayParts * rush
	leads := peak / views
	day := viewsADay * (hitDisk + leadDisk/float64(views))
	return need{
		peak:  peak,
		nodes: (peak*(pageCPU+hitCPU).Seconds() + leads*leadCPU.Seconds()) / busy,
		base:  (peak*hitBaseCPU.Seconds() + leads*leadBase.Seconds()) / busy,
		log:   peak * hitLog, day: day, stored: day * float64(days),
		memory: nodeMemory + sites*siteMemory, start: time.Duration(sites) * siteStart,
	}
}

func main() {
	sites := flag.Float64("sites", 0, "how many sites there are")
	viewsADay := flag.Float64("views", 0, "how many page views they have on a day together")
	days := flag.Int("days", 90, "for how many days visits are kept")
	flag.Parse()
	if *viewsADay > 0 {
		print(os.Stdout, *days, [][2]float64{{*sites, *viewsADay}})
		return
	}
	table(os.Stdout, *days)
}

// table writes the rows of docs/sizing.md.
func table(w io.Writer, days int) {
	print(w, days, [][2]float64{{1e2, 1e5}, {1e3, 1e6}, {1e4, 1e7}, {1e5, 1e8}, {1e6, 1e9}})
}

func print(w io.Writer, days int, sizes [][2]float64) {
	fmt.Fprintf(w, "| sites | page views a day | a second, at most | nodes, cores | database, cores | its log | disk a day | of %d days | memory of a node | its start |\n", days)
	fmt.Fprintln(w, "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, s := range sizes {
		n := of(s[0], s[1], days)
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s/s | %s | %s | %s | %s |\n", count(s[0]), count(s[1]), count(n.peak), cores(n.nodes), cores(n.base),
			size(n.log), size(n.day), size(n.stored), size(n.memory), n.start.Round(10*time.Millisecond))
	}
}

func count(n float64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.3g billion", n/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.3g million", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%d,%03d", int(n)/1000, int(n)%1000)
	}
	return fmt.Sprintf("%.0f", n)
}

// cores are rounded up to tenths.
func cores(n float64) string { return fmt.Sprintf("%.1f", n+0.05) }

func size(bytes float64) string {
	for _, unit := range []string{"B", "KB", "MB", "GB"} {
		if bytes < 1000 {
			return fmt.Sprintf("%.3g %s", bytes, unit)
		}
		bytes /= 1000
	}
	return fmt.Sprintf("%.3g TB", bytes)
}
