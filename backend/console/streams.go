package console

import (
	"context"
	"sync"
)

// maxStreams bounds the streams that are open at once.
const maxStreams = 1000

// streams are the open streams, taken together.
type streams struct {
	open sync.WaitGroup

	mu      sync.Mutex
	count   int
	closed  bool
	running context.Context // ends with all of them
	end     context.CancelFunc
}

func newStreams() streams {
	running, end := context.WithCancel(context.Background())
	return streams{running: running, end: end}
}

// enter lets a stream begin, unless there are too many or no more are to come.
// The stream ends with running, and calls leave when it has ended.
func (s *streams) enter() (running context.Context, leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.count >= maxStreams {
		return nil, nil, false
	}
	s.count++
	s.open.Add(1)
	return s.running, func() {
		s.mu.Lock()
		s.count--
		s.mu.Unlock()
		s.open.Done()
	}, true
}

func (s *streams) close() {
	s.mu.Lock()
	s.closed = true
	s.end()
	s.mu.Unlock()
	s.open.Wait()
}
