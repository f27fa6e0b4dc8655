package attempts

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// lineRoom is how many may stand in a line.
const lineRoom = 16

var errLineFull = errors.New("too many are waiting")

// line lets a few in at a time. Of those who wait, the one who has tried least
// comes first, and when there are too many, the one who has tried most is turned
// away.
type line struct {
	mu      sync.Mutex
	free    int
	waiting []*waiter // the next one first
}

type waiter struct {
	tries  int
	called chan bool // whether to come in, or to go away
}

func newLine(places int) *line { return &line{free: places} }

// enter waits for a place until ctx ends. Whoever got one calls leave.
func (l *line) enter(ctx context.Context, tries int) error {
	l.mu.Lock()
	if l.free > 0 {
		l.free--
		l.mu.Unlock()
		return nil
	}
	w := &waiter{tries, make(chan bool, 1)}
	place := len(l.waiting)
	for place > 0 && l.waiting[place-1].tries > tries {
		place--
	}
	l.waiting = slices.Insert(l.waiting, place, w)
	if len(l.waiting) > lineRoom {
		l.waiting[lineRoom].called <- false
		l.waiting = l.waiting[:lineRoom]
	}
	l.mu.Unlock()

	select {
	case in := <-w.called:
		if !in {
			return errLineFull
		}
		return nil
	case <-ctx.Done():
		l.mu.Lock()
		if at := slices.Index(l.waiting, w); at >= 0 {
			l.waiting = slices.Delete(l.waiting, at, at+1)
		}
		l.mu.Unlock()
		select {
		case in := <-w.called: // at the same moment
			if in {
				l.leave()
			}
		default:
		}
		return ctx.Err()
	}
}

func (l *line) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.free++
		return
	}
	l.waiting[0].called <- true
	l.waiting = slices.Delete(l.waiting, 0, 1)
}
