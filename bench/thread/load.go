package thread

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// Rest is how long a page is watched after its load event.
const Rest = 1500 * time.Millisecond

// long is from where on a task is a long one, in milliseconds: https://www.w3.org/TR/longtasks-1/
const long = 50

// Load is what a page has taken of the main thread while it loaded, in milliseconds of CPU time.
type Load struct {
	// Longest is the longest task, and Long the number of those that are long.
	Longest, Long float64
	// Ours is what a script under the watched path has taken in all, and OursLongest in one task.
	Ours, OursLongest float64
	// OursLong is the number of tasks that are long by that script, and OursEarly that of those before the first paint.
	OursLong, OursEarly float64
	// Slowest is the slowest click, in milliseconds of the clock.
	Slowest float64
}

// Watch opens a page in a browser context of its own, with nothing cached, and watches it by a trace. `ours` is in the addresses of the
// scripts that are watched. The page is clicked on while it loads, if it is to be.
func Watch(browser context.Context, site, path, ours string, slow float64, clicked bool) (Load, error) {
	tab, end, err := Open(browser, site, slow)
	if err != nil {
		return Load{}, err
	}
	defer end()
	events, err := record(tab, func() error {
		clicking := make(chan error, 1)
		done := make(chan struct{})
		go func() {
			if clicked {
				clicking <- click(tab, done)
			} else {
				clicking <- nil
			}
		}()
		err := chromedp.Do(tab, chromedp.Navigate(site+path))
		select {
		case <-time.After(Rest):
		case <-tab.Done():
			err = errors.Join(err, tab.Err())
		}
		close(done)
		return errors.Join(err, <-clicking)
	})
	if err != nil {
		return Load{}, err
	}
	return loadOf(events, ours), nil
}

// loadOf reads a trace. The page's thread is the one that has parsed most.
func loadOf(events []event, ours string) Load {
	type thread struct{ process, id int }
	of := func(e event) thread { return thread{e.Process, e.Thread} }
	parsed := make(map[thread]float64)
	for _, e := range events {
		if e.Name == "ParseHTML" {
			parsed[of(e)] += e.Took
		}
	}
	var main thread
	for one, took := range parsed {
		if took > parsed[main] {
			main = one
		}
	}
	var l Load
	var paint float64
	tasks, own := []event{}, []event{}
	for _, e := range events {
		if e.Process != main.process {
			continue
		}
		switch {
		case e.Name == "firstPaint":
			paint = max(paint, e.At) // the first address has painted too
		case e.Name == "EventTiming" && e.Args.Data.Interaction > 0:
			l.Slowest = max(l.Slowest, e.Args.Data.Duration)
		case of(e) != main || e.Phase != "X":
		case e.Name == "RunTask":
			tasks = append(tasks, e)
		case strings.Contains(e.Args.Data.URL, ours):
			own = append(own, e)
		}
	}
	own = outermost(own)
	for _, task := range outermost(tasks) {
		whole, part := task.CPU/1000, 0.0
		for _, e := range own {
			if e.At >= task.At && e.end() <= task.end() {
				part += e.CPU / 1000
			}
		}
		l.Longest, l.Ours, l.OursLongest = max(l.Longest, whole), l.Ours+part, max(l.OursLongest, part)
		if whole > long {
			l.Long++
		}
		if whole > long && whole-part <= long {
			l.OursLong++
			if task.At < paint {
				l.OursEarly++
			}
		}
	}
	return l
}

// outermost leaves the events that are in no other, in their order.
func outermost(events []event) []event {
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(b.Took, a.Took)) })
	var left []event
	for _, e := range events {
		if len(left) == 0 || e.At >= left[len(left)-1].end() {
			left = append(left, e)
		}
	}
	return left
}
