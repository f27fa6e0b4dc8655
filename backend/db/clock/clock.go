// Package clock is the time of a node that shares a database with others: it stays right when somebody sets the node's clock, or the
// database's.
package clock

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

const (
	// lookEvery is how often the three clocks are compared, and lookTime bounds an answer that is good for that.
	lookEvery, lookTime = 5 * time.Second, time.Second
	// apart is by how much clocks may differ.
	apart = time.Second
)

// Clock goes by the part of the machine's time that only goes on, from a moment that is known. It is compared with the machine's
// clock and the database's: of the three the one in the middle is right. It is safe for concurrent use.
type Clock struct {
	known  atomic.Pointer[moment]
	ask    func(context.Context) (time.Time, error)
	logger *zap.Logger
}

// moment is what time it was at a reading of the machine's clock.
type moment struct{ at, read time.Time }

// New returns a clock that begins as the database's, which is asked, or as the machine's where that does not answer.
func New(ctx context.Context, ask func(context.Context) (time.Time, error), logger *zap.Logger) *Clock {
	c := &Clock{ask: ask, logger: logger}
	c.set(time.Now())
	if theirs, err := c.theirs(ctx); err == nil && theirs.Sub(c.Now()).Abs() > apart {
		c.tell(theirs)
	}
	return c
}

// Now is what time it is.
func (c *Clock) Now() time.Time {
	known := c.known.Load()
	return known.at.Add(time.Since(known.read))
}

// Run compares the clocks until the context ends.
func (c *Clock) Run(ctx context.Context) {
	for aside.Sleep(ctx, lookEvery) {
		if theirs, err := c.theirs(ctx); err == nil {
			c.compare(time.Now(), theirs)
		}
	}
}

// compare takes the one in the middle of this clock, the machine's and the database's, if that is another time than this one's.
func (c *Clock) compare(machine, theirs time.Time) {
	three := []time.Time{c.Now(), machine.Round(0), theirs}
	slices.SortFunc(three, time.Time.Compare)
	if three[1].Sub(c.Now()).Abs() > apart {
		c.tell(three[1])
	}
}

func (c *Clock) tell(at time.Time) {
	c.logger.Warn("the clock of this machine or of the database has been wrong: another time is taken", zap.Duration("ahead", at.Sub(c.Now())))
	c.set(at)
}

func (c *Clock) set(at time.Time) { c.known.Store(&moment{at.Round(0), time.Now()}) }

// theirs is the database's time in the middle of its answer.
func (c *Clock) theirs(ctx context.Context) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	began := time.Now()
	theirs, err := c.ask(ctx)
	return theirs.Add(time.Since(began) / 2), err
}
