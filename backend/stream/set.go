package stream

import (
	"context"
	"sync"
	"time"
)

// endTime is how long the end of a set waits for its streams. Over HTTP/2 one whose client's connection is stuck ends
// only with the connection: a deadline for writing has the stream reset, and what resets it waits behind what is stuck.
const endTime = 5 * time.Second

// Set are the streams that a service has open. It is safe for concurrent use.
type Set struct {
	running context.Context // ends with all of them
	end     context.CancelFunc
	most    int
	endTime time.Duration

	mu    sync.Mutex
	open  int
	ended chan struct{} // closed when the set is closed and its last stream has left
}

// NewSet returns a set of that many streams at most.
func NewSet(most int) *Set {
	running, end := context.WithCancel(context.Background())
	return &Set{running: running, end: end, most: most, endTime: endTime, ended: make(chan struct{})}
}

// Enter lets a stream begin, unless there are too many or the set is closed. The stream ends with running, and calls
// leave once, when it has ended.
func (s *Set) Enter() (running context.Context, leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running.Err() != nil || s.open >= s.most {
		return nil, nil, false
	}
	s.open++
	return s.running, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open--; s.open == 0 && s.running.Err() != nil {
			close(s.ended)
		}
	}, true
}

// Close ends all streams, and waits some seconds for them. No more can enter. Closed again, the set waits for nobody.
func (s *Set) Close() {
	if !s.stop() {
		return
	}
	select {
	case <-s.ended:
	case <-time.After(s.endTime):
	}
}

// stop ends all streams. It returns false if they had been ended before.
func (s *Set) stop() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running.Err() != nil {
		return false
	}
	s.end()
	if s.open == 0 {
		close(s.ended)
	}
	return true
}
