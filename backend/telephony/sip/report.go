package sip

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

// tellTimeout bounds one attempt to report. tellPause and tellAttempts bound the further attempts.
const (
	tellTimeout  = 10 * time.Second
	tellPause    = time.Second
	tellAttempts = 7
)

// tell reports how far the call has come.
func (c *call) tell(p telephony.Progress) {
	if p.Order = c.order.ID; p.At.IsZero() {
		p.At = time.Now()
	}
	if p.Outcome != telephony.Talked {
		p.Talk = telephony.Untold
	}
	c.news <- p // the channel has room for all reports of a call
}

// report hands the reports of the call on in order, and repeats those that could not be stored.
func (c *call) report() {
	for p := range c.news {
		pause := tellPause
		for attempt := 1; ; attempt++ {
			err := c.reportOnce(p)
			if err == nil {
				break
			}
			if attempt == tellAttempts {
				c.x.logger.Error("how a call goes on could not be told", zap.String("step", string(p.Step)), zap.Error(err))
				break
			}
			time.Sleep(pause)
			pause *= 2
		}
	}
}

func (c *call) reportOnce(p telephony.Progress) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), tellTimeout)
	defer cancel()
	handlers := c.x.handlers.Load()
	if handlers.Progress == nil {
		return nil
	}
	return handlers.Progress(ctx, p)
}
