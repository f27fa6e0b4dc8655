package live

import "sync/atomic"

// Listener receives what happens for one visitor. Only one goroutine may use it at a time.
type Listener struct {
	pages    *Pages
	holder   holder
	audience *audience
	before   *Listener // of the same visitor
	what     atomic.Uint32
	news     chan struct{}
}

// News receives a value when there is something to [Listener.Take]. It is closed when the listener should end.
func (l *Listener) News() <-chan struct{} { return l.news }

// Take returns the bits of what should be looked at, and clears them.
func (l *Listener) Take() (what uint32) { return l.what.Swap(0) }

// Online reports whether an operator was online at the last check.
func (l *Listener) Online() bool { return l.audience.online.Load() }

// Deaf reports whether this node hears nothing of what happens: see [journal.Follower.Deaf].
func (l *Listener) Deaf() bool { return l.pages.deaf.Load() }

// Again has the listener told of the bits once more.
func (l *Listener) Again(what uint32) {
	l.pages.mu.Lock()
	defer l.pages.mu.Unlock()
	if !l.pages.closed { // else its news have ended
		l.tell(what)
	}
}

// tell requires the lock of the pages.
func (l *Listener) tell(what uint32) {
	l.what.Or(what)
	select {
	case l.news <- struct{}{}:
	default: // it has not taken the previous news yet
	}
}

// Close ends the listener.
func (l *Listener) Close() {
	pages := l.pages
	pages.mu.Lock()
	var ended chan struct{}
	if pages.remove(l) && pages.count == 0 {
		pages.stop()
		ended = pages.ended
	}
	pages.mu.Unlock()
	if ended != nil {
		<-ended
	}
}
