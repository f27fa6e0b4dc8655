package console

import (
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// limit lets each key fail some times at once, and after that once in a while.
// Attempts under way count as if they had failed, so that many at once are no
// way around it. It remembers the keys that have failed, the latest of them when
// there are too many.
type limit struct {
	burst   int
	every   time.Duration
	tallies *simplelru.LRU[string, *tally]
}

// tally is what is remembered of a key.
type tally struct {
	until   time.Time // when the last of its failures is forgotten
	running int       // attempts under way
}

func newLimit(burst int, every time.Duration, remembered int) *limit {
	tallies, err := simplelru.NewLRU[string, *tally](remembered, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return &limit{burst: burst, every: every, tallies: tallies}
}

// failures is how many failures of the key are not forgotten yet.
func (l *limit) failures(key string, now time.Time) int {
	t, found := l.tallies.Get(key)
	if !found || !t.until.After(now) {
		return 0
	}
	return int((t.until.Sub(now) + l.every - 1) / l.every)
}

// wait is how long the key has to wait until its next attempt; 0 when it may be
// made now.
func (l *limit) wait(key string, now time.Time) time.Duration {
	failures := l.failures(key, now)
	t, found := l.tallies.Get(key)
	switch {
	case !found || failures+t.running < l.burst:
		return 0
	case failures < l.burst: // it is for those under way to end
		return busyFor
	}
	return t.until.Sub(now) - time.Duration(l.burst-1)*l.every
}

func (l *limit) begin(key string) {
	t, found := l.tallies.Get(key)
	if !found {
		t = &tally{}
		l.tallies.Add(key, t)
	}
	t.running++
}

// end ends an attempt that has begun.
func (l *limit) end(key string, now time.Time, failed bool) {
	t, found := l.tallies.Get(key)
	if !found { // pushed out by others meanwhile
		t = &tally{running: 1}
		l.tallies.Add(key, t)
	}
	t.running = max(0, t.running-1)
	if failed {
		if t.until.Before(now) {
			t.until = now
		}
		t.until = t.until.Add(l.every)
		if most := now.Add(time.Duration(l.burst) * l.every); t.until.After(most) {
			t.until = most
		}
	}
	if t.running == 0 && !t.until.After(now) {
		l.tallies.Remove(key)
	}
}
