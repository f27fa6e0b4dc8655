package events

import (
	"context"
	"sync"

	"github.com/seed-3405227d/frontdesk/backend/stream"
)

const (
	// maxStreams bounds the streams that are open at once on this node, and ofToken those of one token.
	maxStreams = 1000
	ofToken    = 5
)

// streams are the open streams. They are safe for concurrent use.
type streams struct {
	*stream.Set

	mu sync.Mutex
	of map[int64]int // by token
}

func newStreams() streams {
	return streams{Set: stream.NewSet(maxStreams), of: make(map[int64]int)}
}

// enter lets a stream of the token begin, unless there are too many. It ends with running, and calls leave when it has
// ended.
func (s *streams) enter(token int64) (running context.Context, leave func(), entered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[token] >= ofToken {
		return nil, nil, false
	}
	running, left, entered := s.Enter()
	if !entered {
		return nil, nil, false
	}
	s.of[token]++
	return running, func() {
		s.mu.Lock()
		if s.of[token]--; s.of[token] == 0 {
			delete(s.of, token)
		}
		s.mu.Unlock()
		left()
	}, true
}
