// Package rush keeps the rush of one site from holding up the others. What comes for a site waits in a line of its own, so
// that only so much of it stands before the writes of other sites.
package rush

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Lines are those of the sites, on this node. The zero Lines are ready. They are safe for concurrent use.
type Lines struct {
	mu    sync.Mutex
	sites map[int64]*line // of those for which something is under way
}

// line is the one of a site.
type line struct {
	ahead *semaphore.Weighted
	users int // who are ahead or wait; guarded by Lines.mu
}

// AtOnce is how much of a site is worked on at once. The writer takes that much in one commit of a few milliseconds, so a site that has a
// rush alone is not slowed down.
const AtOnce = 64

// Pass does the work for the site when it is its turn, in the order of coming. If ctx ends before, the error is that of
// ctx, and the work is not done.
func (l *Lines) Pass(ctx context.Context, siteID int64, work func() error) error {
	own := l.join(siteID)
	defer l.leave(siteID, own)
	if err := own.ahead.Acquire(ctx, 1); err != nil {
		return err
	}
	defer own.ahead.Release(1)
	return work()
}

func (l *Lines) join(siteID int64) *line {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sites == nil {
		l.sites = make(map[int64]*line)
	}
	own := l.sites[siteID]
	if own == nil {
		own = &line{ahead: semaphore.NewWeighted(AtOnce)}
		l.sites[siteID] = own
	}
	own.users++
	return own
}

func (l *Lines) leave(siteID int64, own *line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(l.sites, siteID)
	}
}
