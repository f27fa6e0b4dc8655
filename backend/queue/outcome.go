package queue

import (
	"errors"
	"time"
)

// never is an error after which a job is not tried again.
type never struct{ error }

func (e never) Unwrap() error { return e.error }

// Never wraps an error that no further attempt would mend. The job is dead: it is kept with the error's text until
// somebody has it done again or discards it, see [Queue.Dead].
func Never(err error) error { return never{err} }

// after is an error with the least pause before another attempt.
type after struct {
	error
	pause time.Duration
}

func (e after) Unwrap() error { return e.error }

// After wraps an error after which the job is tried again no sooner than after the pause, as a Retry-After asks for.
func After(pause time.Duration, err error) error { return after{err, pause} }

// away is an error of a target, not of the job.
type away struct{ error }

func (e away) Unwrap() error { return e.error }

// Away wraps an error that every job of the target would meet. They all wait, one of them tries whether the target is
// back, and no attempt counts. An [After] within it sets the least pause.
func Away(err error) error { return away{err} }

// pauseOf is the least pause that the error asks for.
func pauseOf(err error) time.Duration {
	if e, ok := errors.AsType[after](err); ok {
		return e.pause
	}
	return 0
}
