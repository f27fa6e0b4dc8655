package live

import (
	"context"
	"slices"
	"sync"

	"github.com/seed-3405227d/frontdesk/backend/stream"
)

const (
	// maxStreams bounds the streams that are open at once.
	maxStreams = 1000
	// accountStreams is how many of them one account keeps. When it opens
	// another, its oldest gives way.
	accountStreams = 20
)

// streams are the open streams, taken together.
type streams struct {
	*stream.Set

	mu sync.Mutex
	of map[int64]*accountsOwn // by account
}

// accountsOwn are the streams of one account.
type accountsOwn struct {
	count int             // those included that give way and have not ended yet
	kept  []chan struct{} // oldest first; each is closed when its stream is to give way
}

func newStreams() streams {
	return streams{Set: stream.NewSet(maxStreams), of: make(map[int64]*accountsOwn)}
}

// enter lets a stream of the account begin, unless there are too many or no more
// are to come. The stream ends with running, and when yield is closed; it calls
// leave when it has ended.
func (s *streams) enter(account int64) (running context.Context, yield <-chan struct{}, leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.of[account]
	if own == nil {
		own = new(accountsOwn)
	}
	if own.count >= 2*accountStreams {
		return nil, nil, nil, false
	}
	running, left, ok := s.Enter()
	if !ok {
		return nil, nil, nil, false
	}
	s.of[account] = own
	if len(own.kept) == accountStreams {
		close(own.kept[0])
		own.kept = slices.Delete(own.kept, 0, 1)
	}
	place := make(chan struct{})
	own.kept = append(own.kept, place)
	own.count++
	return running, place, func() {
		s.mu.Lock()
		if at := slices.Index(own.kept, place); at >= 0 {
			own.kept = slices.Delete(own.kept, at, at+1)
		}
		if own.count--; own.count == 0 {
			delete(s.of, account)
		}
		s.mu.Unlock()
		left()
	}, true
}
