package spool

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

// Outcome is what became of a record that was handed over.
type Outcome int

// The outcomes.
const (
	Done  Outcome = iota // it is taken out
	Later                // it stays, and what has the same key waits behind it
	Aside                // it stays, and what has the same key does not wait for it
	Away                 // it stays, and so does all that has not been handed over
)

// Take hands over what waits, as many records at once as told, of a key one after another in their order. tries is how
// often a record has been handed over before, in vain. What fails again and again rests for some calls. Take returns
// how many records are done, when all have been handed over or ctx has ended. What is done, and what was written while
// the process or the machine stopped, may be handed over once more by the next process.
func (s *Spool) Take(ctx context.Context, atOnce int, take func(ctx context.Context, body []byte, tries int) Outcome) int {
	s.taking.Lock()
	defer s.taking.Unlock()
	var done atomic.Int64
	var stopped atomic.Bool
	lines := make(chan []*record)
	var workers sync.WaitGroup
	f, waiting := s.waiting()
	for range min(atOnce, len(waiting)) {
		workers.Go(func() {
			for line := range lines {
				aside.Do(s.logger, "taking a line of records", func() {
					for _, r := range line {
						if stopped.Load() || ctx.Err() != nil {
							return
						}
						switch s.handOver(ctx, f, r, take) {
						case Done:
							if done.Add(1)%syncEvery == 0 {
								_ = f.sync() // see below
							}
						case Away:
							stopped.Store(true)
						case Later:
							return
						}
					}
				})
			}
		})
	}
	for _, line := range waiting {
		lines <- line
	}
	close(lines)
	workers.Wait()
	if done.Load() > 0 {
		_ = f.sync() // otherwise they are handed over once more after a loss of power
	}
	return int(done.Load())
}

// waiting returns the records that are to be handed over, in their order: each line holds those of one key.
func (s *Spool) waiting() (f *file, lines [][]*record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil {
		return nil, nil
	}
	of := make(map[uint64]int, len(s.keys))
	held := make(map[uint64]bool)
	for _, sequence := range slices.Sorted(maps.Keys(s.records)) {
		r := s.records[sequence]
		if r == nil {
			continue
		}
		if r.rest > 0 {
			r.rest--
			held[r.key] = held[r.key] || r.key != 0 && !r.aside
			continue
		}
		if held[r.key] {
			continue
		}
		line, known := of[r.key]
		if !known || r.key == 0 {
			line = len(lines)
			of[r.key] = line
			lines = append(lines, nil)
		}
		lines[line] = append(lines[line], r)
	}
	return s.own, lines
}

// handOver hands over a record, and takes it out when it is done.
func (s *Spool) handOver(ctx context.Context, f *file, r *record, take func(context.Context, []byte, int) Outcome) Outcome {
	if s.weight.Acquire(ctx, int64(r.length)) != nil {
		return Away
	}
	defer s.weight.Release(int64(r.length))
	body, err := f.read(&r.place)
	if errors.Is(err, os.ErrClosed) {
		return Away
	}
	outcome := Done
	if err != nil {
		s.logger.Error("a waiting form is lost: what the disk gives back is not what was written",
			zap.String("file", f.name), zap.Int("bytes", r.length), zap.Error(err))
	} else {
		outcome = take(ctx, body, r.tries)
	}
	if outcome == Done {
		_ = f.clear(r.blocks) // otherwise it is handed over once more
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch outcome {
	case Done:
		delete(s.records, r.sequence)
		s.forget(r.key)
	case Later, Aside:
		r.rest, r.aside = min(1<<r.tries-1, maxRest), outcome == Aside
		r.tries = min(r.tries+1, 30)
	}
	return outcome
}
