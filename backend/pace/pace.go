// Package pace bounds how often something may happen that anybody can do: by a
// name, or by the network of the client who does it.
package pace

import (
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// UnderWay is how long a key waits that has as much under way as it may have: it
// is for that to end.
const UnderWay = 2 * time.Second

// Limit lets each key happen some times at once, and after that once in a while.
// Only what has ended as counted uses anything up, but while it is under way it
// counts, so that many at once are no way around the limit. A Limit remembers the
// latest keys. It is not safe for concurrent use.
type Limit struct {
	burst int
	every time.Duration
	keys  *simplelru.LRU[string, *counts]
}

// counts are what is remembered of a key.
type counts struct {
	until   time.Time // when the last that was counted is forgotten
	running int       // under way
}

// New returns a limit of burst at once and then one in every, which remembers so
// many keys.
func New(burst int, every time.Duration, remembered int) *Limit {
	keys, err := simplelru.NewLRU[string, *counts](remembered, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return &Limit{burst: burst, every: every, keys: keys}
}

// Tally counts what one key of a limit does.
type Tally struct {
	limit *Limit
	key   string
}

// Of is the tally of the key.
func (l *Limit) Of(key string) Tally { return Tally{l, key} }

// Counted is how many of the key are counted and not forgotten yet.
func (t Tally) Counted(now time.Time) int {
	c, found := t.limit.keys.Get(t.key)
	if !found || !c.until.After(now) {
		return 0
	}
	return int((c.until.Sub(now) + t.limit.every - 1) / t.limit.every)
}

// Wait is for how long the key has to wait; 0 when the next may begin now.
func (t Tally) Wait(now time.Time) time.Duration {
	counted := t.Counted(now)
	c, found := t.limit.keys.Get(t.key)
	switch {
	case !found || counted+c.running < t.limit.burst:
		return 0
	case counted < t.limit.burst:
		return UnderWay
	}
	return c.until.Sub(now) - time.Duration(t.limit.burst-1)*t.limit.every
}

// Take counts one in each of the tallies and returns 0. If one of them has to wait, it counts none and returns for how
// long.
func Take(now time.Time, tallies ...Tally) (wait time.Duration) {
	for _, tally := range tallies {
		wait = max(wait, tally.Wait(now))
	}
	if wait > 0 {
		return wait
	}
	for _, tally := range tallies {
		tally.End(now, true)
	}
	return 0
}

// Add counts n more of the key, of something that has happened already. It may be more than happens at once: the key
// waits for longer then.
func (t Tally) Add(now time.Time, n int) {
	c := t.counts()
	if c.until.Before(now) {
		c.until = now
	}
	c.until = c.until.Add(time.Duration(n) * t.limit.every)
}

// Begin notes that one is under way.
func (t Tally) Begin() { t.counts().running++ }

// End notes that one that has begun has ended, and whether it counts.
func (t Tally) End(now time.Time, counts bool) {
	c := t.counts() // others may have pushed it out meanwhile
	c.running = max(0, c.running-1)
	if counts {
		if c.until.Before(now) {
			c.until = now
		}
		c.until = c.until.Add(t.limit.every)
		if most := now.Add(time.Duration(t.limit.burst) * t.limit.every); c.until.After(most) {
			c.until = most
		}
	}
	if c.running == 0 && !c.until.After(now) {
		t.limit.keys.Remove(t.key)
	}
}

func (t Tally) counts() *counts {
	c, found := t.limit.keys.Get(t.key)
	if !found {
		c = &counts{}
		t.limit.keys.Add(t.key, c)
	}
	return c
}
