package call

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

const (
	// storeTimeout bounds how long an event is being stored. A platform that does not wait so long sends the event
	// again. If it is stored by then, that does no harm.
	storeTimeout = 30 * time.Second
	// lookupTimeout is how long a caller waits for the number to be connected with.
	lookupTimeout = 80 * time.Millisecond
)

// What becomes of an event of a call, besides the constants of [News].
const (
	Unavailable = "unavailable" // it could not be stored, and has to be sent again
	Connected   = "connected"   // it could not be stored in time; the caller was connected all the same
)

// Observer is told what became of each event. It must not block.
type Observer interface {
	Call(platform, outcome string)
}

// Switchboard stores the events of calls and finds whom to connect a caller with, while the database may be away. It is
// safe for concurrent use.
type Switchboard struct {
	use      func() (calls *Calls, done func())
	outage   rate.Sometimes
	logger   *zap.Logger
	observer Observer
}

// NewSwitchboard returns the switchboard. use returns the calls and the function that ends their use. calls is nil while
// the database cannot be reached.
func NewSwitchboard(use func() (calls *Calls, done func()), logger *zap.Logger, observer Observer) *Switchboard {
	return &Switchboard{use: use, outage: rate.Sometimes{Interval: time.Second}, logger: logger, observer: observer}
}

var errAway = errors.New("the database cannot be reached")

// Take stores the event. It goes on when ctx is done: what has arrived is stored.
func (s *Switchboard) Take(ctx context.Context, e telephony.Event) error {
	calls, done := s.use()
	defer done()
	return s.take(ctx, calls, e)
}

// Keep stores the event beside all else, since a caller may not wait for that. stored is closed when that is over.
func (s *Switchboard) Keep(ctx context.Context, e telephony.Event) (stored <-chan struct{}) {
	calls, done := s.use()
	over := make(chan struct{})
	aside.Go(s.logger, "storing a call", func() {
		defer close(over)
		defer done()
		_ = s.take(ctx, calls, e) // it is logged, and the platform is not there to hear of it
	})
	return over
}

func (s *Switchboard) take(ctx context.Context, calls *Calls, e telephony.Event) (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	outcome := Unavailable
	if e.Connects {
		outcome = Connected
	}
	if err = errAway; calls != nil {
		var news News
		if _, news, err = calls.Take(ctx, e); err == nil {
			outcome = string(news)
		}
	}
	s.Tell(e.Platform, outcome, err)
	return err
}

// Destination returns the number that the called one stands for, within a tenth of a second. It is empty if nobody has
// the called number. An error means that this cannot be told now.
func (s *Switchboard) Destination(ctx context.Context, e telephony.Event) (number string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
	defer cancel()
	calls, done := s.use()
	defer done()
	if err = errAway; calls != nil {
		number, err = calls.Destination(ctx, e.Called)
	}
	s.log(e.Platform, err)
	return number, err
}

// Connect does what Destination does, and keeps the event, unless nobody has the called number. It is for platforms that
// need no answer to what they tell.
func (s *Switchboard) Connect(ctx context.Context, e telephony.Event) (number string, err error) {
	if number, err = s.Destination(ctx, e); number != "" || err != nil {
		s.Keep(ctx, e)
	}
	return number, err
}

// Tell counts what became of a request or an event, and logs the error, if there is one.
func (s *Switchboard) Tell(platform, outcome string, err error) {
	s.observer.Call(platform, outcome)
	s.log(platform, err)
}

// log logs an error at most once a second, since an outage fails every request.
func (s *Switchboard) log(platform string, err error) {
	if err == nil {
		return
	}
	s.outage.Do(func() {
		s.logger.Error("what a telephone platform tells could not be stored or looked up", zap.String("platform", platform), zap.Error(err))
	})
}
