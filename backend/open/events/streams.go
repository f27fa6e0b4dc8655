package events

import (
	"context"
	"sync"
)

const (
	// maxStreams bounds the streams that are open at once on this node, and ofToken those of one token.
	maxStreams = 1000
	ofToken    = 5
)

// streams are the open streams. They are safe for concurrent use.
type streams struct {
	running context.Context // ends with all of them
	end     context.CancelFunc
	open    sync.WaitGroup

	mu    sync.Mutex
	count int
	of    map[int64]int // by token
}

func newStreams() streams {
	running, end := context.WithCancel(context.Background())
	return streams{running: running, end: end, of: make(map[int64]int)}
}

// enter lets a stream of the token begin, unless there are too many. It ends with running, and calls leave when it has
// ended.
func (s *streams) enter(token int64) (running context.Context, leave func(), entered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running.Err() != nil || s.count >= maxStreams || s.of[token] >= ofToken {
		return nil, nil, false
	}
	s.count++
	s.of[token]++
	s.open.Add(1)
	return s.running, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.count--
		if s.of[token]--; s.of[token] == 0 {
			delete(s.of, token)
		}
		s.open.Done()
	}, true
}

// close ends all streams, and returns when they have ended.
func (s *streams) close() {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	s.open.Wait()
}
