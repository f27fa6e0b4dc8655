package backend

import (
	"sync"
	"time"
)

// leases count the requests that use the service, which outlive the
// configuration that let them in.
type leases struct {
	mu      sync.Mutex
	taken   int
	closing chan struct{} // when set, no more are given; closed at the last return
}

// take returns false once drain has been called.
func (l *leases) take() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing != nil {
		return false
	}
	l.taken++
	return true
}

func (l *leases) giveBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken--
	if l.taken == 0 && l.closing != nil {
		close(l.closing)
	}
}

// drain gives no more leases and waits until all are back, or returns false
// when they are not within the timeout.
func (l *leases) drain(timeout time.Duration) bool {
	l.mu.Lock()
	returned := make(chan struct{})
	l.closing = returned
	if l.taken == 0 {
		close(returned)
	}
	l.mu.Unlock()
	select {
	case <-returned:
		return true
	case <-time.After(timeout):
		return false
	}
}
