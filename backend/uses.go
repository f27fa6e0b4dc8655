package backend

import (
	"sync"
	"time"
)

// uses count the requests that use the service, which outlive the
// configuration that let them in.
type uses struct {
	mu    sync.Mutex
	count int
	ended chan struct{} // when set, none begin any more; closed with the last
}

// begin returns false once drain has been called.
func (u *uses) begin() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended != nil {
		return false
	}
	u.count++
	return true
}

func (u *uses) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.count--
	if u.count == 0 && u.ended != nil {
		close(u.ended)
	}
}

// drain lets none begin any more and waits until all have ended, or returns false
// when they have not within the timeout.
func (u *uses) drain(timeout time.Duration) bool {
	u.mu.Lock()
	ended := make(chan struct{})
	u.ended = ended
	if u.count == 0 {
		close(ended)
	}
	u.mu.Unlock()
	select {
	case <-ended:
		return true
	case <-time.After(timeout):
		return false
	}
}
