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
	burst   int
	every   time.Duration
	tallies *simplelru.LRU[string, *tally]
}

// tally is what is remembered of a key.
type tally struct {
	until   time.Time // when the last that was counted is forgotten
	running int       // under way
}

// New returns a limit of burst at once and then one in every, which remembers so
// many keys.
func New(burst int, every time.Duration, remembered int) *Limit {
	tallies, err := simplelru.NewLRU[string, *tally](remembered, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return &Limit{burst: burst, every: every, tallies: tallies}
}

// Place is where something is counted: a key of a limit.
type Place struct {
	limit *Limit
	key   string
}

// At is the place of the key.
func (l *Limit) At(key string) Place { return Place{l, key} }

// Counted is how many of the key are counted and not forgotten yet.
func (p Place) Counted(now time.Time) int {
	t, found := p.limit.tallies.Get(p.key)
	if !found || !t.until.After(now) {
		return 0
	}
	return int((t.until.Sub(now) + p.limit.every - 1) / p.limit.every)
}

// Wait is for how long the key has to wait; 0 when the next may begin now.
func (p Place) Wait(now time.Time) time.Duration {
	counted := p.Counted(now)
	t, found := p.limit.tallies.Get(p.key)
	switch {
	case !found || counted+t.running < p.limit.burst:
		return 0
	case counted < p.limit.burst:
		return UnderWay
	}
	return t.until.Sub(now) - time.Duration(p.limit.burst-1)*p.limit.every
}

// Take counts one at each of the places and returns 0. If one of them has to wait, it counts none and returns for how
// long.
func Take(now time.Time, places ...Place) (wait time.Duration) {
	for _, place := range places {
		wait = max(wait, place.Wait(now))
	}
	if wait > 0 {
		return wait
	}
	for _, place := range places {
		place.End(now, true)
	}
	return 0
}

// Add counts n more of the key, of something that has happened already. It may be more than happens at once: the key
// waits for longer then.
func (p Place) Add(now time.Time, n int) {
	t := p.tally()
	if t.until.Before(now) {
		t.until = now
	}
	t.until = t.until.Add(time.Duration(n) * p.limit.every)
}

// Begin notes that one is under way.
func (p Place) Begin() { p.tally().running++ }

// End notes that one that has begun has ended, and whether it counts.
func (p Place) End(now time.Time, counts bool) {
	t := p.tally() // others may have pushed it out meanwhile
	t.running = max(0, t.running-1)
	if counts {
		if t.until.Before(now) {
			t.until = now
		}
		t.until = t.until.Add(p.limit.every)
		if most := now.Add(time.Duration(p.limit.burst) * p.limit.every); t.until.After(most) {
			t.until = most
		}
	}
	if t.running == 0 && !t.until.After(now) {
		p.limit.tallies.Remove(p.key)
	}
}

func (p Place) tally() *tally {
	t, found := p.limit.tallies.Get(p.key)
	if !found {
		t = &tally{}
		p.limit.tallies.Add(p.key, t)
	}
	return t
}
