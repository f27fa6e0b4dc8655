package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
	"github.com/seed-3405227d/frontdesk/e2e/nodes/cluster"
	"github.com/seed-3405227d/frontdesk/e2e/nodes/load"
)

const (
	// each is the time between two lines, of which each begins with a reload of all nodes.
	each = time.Minute
	// warm is how long it takes until what is measured counts, and how long both ends of the comparison are.
	warm = 10
)

// soaked is what a minute was like.
type soaked struct {
	cluster.Usage // of all nodes together
	disk          int64
	pages, leads  int
	middle, late  time.Duration // how long pages took: half of them, and 99 of 100
	broken        int           // pages, leads and forms that were not acknowledged
}

// soak keeps a load on the nodes, reloads them each minute, and compares the end with what was after ten minutes.
func (o *options) soak(ctx context.Context) error {
	t, end, err := o.begin(ctx, load.Usual.Times(o.times))
	if err != nil {
		return err
	}
	fmt.Printf("%7s %9s %11s %7s %9s %7s %7s %9s %9s %7s\n", "minute", "MB", "goroutines", "files", "disk, MB", "pages", "leads", "median", "99 %", "broken")
	var minutes []soaked
	for n := 0; time.Duration(n)*each < o.soaking; n++ {
		from := time.Now()
		for _, m := range t.Nodes {
			if err := t.Reload(ctx, m); err != nil {
				return err
			}
		}
		t.book.Add(book.Entry{Kind: book.Reloaded, Since: from})
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(each):
		}
		s, err := t.minute(ctx, from)
		if err != nil {
			return err
		}
		minutes = append(minutes, s)
		s.print(fmt.Sprint(n + 1))
	}
	end()
	if len(minutes) >= 3*warm {
		median(minutes[warm : 2*warm]).print("first")
		median(minutes[len(minutes)-warm:]).print("last")
	}
	return t.conclude(ctx)
}

// minute is what has been since the time.
func (t *trial) minute(ctx context.Context, from time.Time) (s soaked, err error) {
	for _, m := range t.Nodes {
		used, err := t.UsageOf(ctx, m)
		if err != nil {
			return s, err
		}
		s.Memory += used.Memory
		s.Goroutines += used.Goroutines
		s.Files += used.Files
	}
	for _, m := range append(slices.Clone(t.Databases), t.Nodes...) {
		if err := filepath.WalkDir(m.Disk, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return nil // it has been removed meanwhile
			}
			if info, err := entry.Info(); err == nil {
				s.disk += info.Size()
			}
			return nil
		}); err != nil {
			return s, err
		}
	}
	entries, err := t.book.Entries()
	if err != nil {
		return s, err
	}
	var took []time.Duration
	for i := len(entries) - 1; i >= 0 && entries[i].At.After(from); i-- {
		switch e := entries[i]; {
		case e.Kind != book.Page && e.Kind != book.Lead && e.Kind != book.Form:
		case !e.Acknowledged:
			s.broken++
		case e.Kind == book.Page:
			s.pages++
			took = append(took, e.At.Sub(e.Since))
		case e.Kind == book.Lead:
			s.leads++
		}
	}
	if slices.Sort(took); len(took) > 0 {
		s.middle, s.late = took[len(took)/2], took[len(took)*99/100]
	}
	return s, nil
}

// median is, of each figure, the one in the middle.
func median(minutes []soaked) soaked {
	return soaked{
		Usage: cluster.Usage{
			Memory:     middle(minutes, func(s soaked) int64 { return s.Memory }),
			Goroutines: middle(minutes, func(s soaked) int64 { return s.Goroutines }),
			Files:      middle(minutes, func(s soaked) int64 { return s.Files }),
		},
		disk: middle(minutes, func(s soaked) int64 { return s.disk }), pages: middle(minutes, func(s soaked) int { return s.pages }), leads: middle(minutes, func(s soaked) int { return s.leads }),
		middle: middle(minutes, func(s soaked) time.Duration { return s.middle }), late: middle(minutes, func(s soaked) time.Duration { return s.late }),
		broken: middle(minutes, func(s soaked) int { return s.broken }),
	}
}

func middle[T cmp.Ordered](minutes []soaked, of func(soaked) T) T {
	values := make([]T, len(minutes))
	for i, s := range minutes {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func (s soaked) print(name string) {
	fmt.Printf("%7s %9.1f %11d %7d %9.1f %7d %7d %9.1f %9.1f %7d\n", name, float64(s.Memory)/(1<<20), s.Goroutines, s.Files, float64(s.disk)/(1<<20), s.pages, s.leads,
		float64(s.middle.Microseconds())/1000, float64(s.late.Microseconds())/1000, s.broken)
}
