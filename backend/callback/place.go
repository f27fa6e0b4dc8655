package callback

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

const (
	// Ring is how long each phone may ring.
	Ring = 30 * time.Second
	// placeTimeout limits the time in which a platform may accept an order. promptTimeout is the limit while a page
	// waits for the answer.
	placeTimeout  = 10 * time.Second
	promptTimeout = 2 * time.Second
	// lookTime is the further time for looking at a callback.
	lookTime = 10 * time.Second

	// A platform has to report the next step within these times. If it does not report that the visitor's phone rings,
	// it has the time of both.
	operatorDeadline = 2*Ring + 30*time.Second
	visitorDeadline  = Ring + 30*time.Second
	talkDeadline     = 4 * time.Hour
)

// do looks at the callback of a job.
func (c *Callbacks) do(ctx context.Context, j queue.Job) error {
	var about struct {
		Callback int64 `json:"callback"`
	}
	if err := json.Unmarshal(j.Payload, &about); err != nil {
		return queue.Never(err)
	}
	return c.Look(ctx, j.SiteID, about.Callback)
}

// Look does what is due for the callback now: it starts the next attempt, or ends an attempt about which the platform
// has reported nothing for too long.
func (c *Callbacks) Look(ctx context.Context, siteID, id int64) error {
	var made Callback
	var place, silent bool
	err := c.DB.Attempt(ctx, id, func(ctx context.Context, tx db.Tx) (err error) {
		place, silent = false, false
		if made, err = locked(ctx, tx, siteID, id); err != nil {
			return err
		}
		now := c.now()
		next := made.next()
		switch {
		case next.IsZero():
			return nil
		case next.After(now): // the database's clock is another one, or a job of an earlier step
			return made.lookAt(ctx, tx, next)
		case made.State == Waiting:
			place = true
			return made.begin(ctx, tx, now)
		case made.State == CallingOperator && !made.placed: // whoever was at it is gone
			place = true
			made.placingAt = now.Add(placeTimeout + lookTime)
			return made.store(ctx, tx)
		}
		silent = true
		if err := made.note(ctx, tx, Step{At: now, Attempt: made.Attempts, Kind: StepSilent}); err != nil {
			return err
		}
		made.silence(now)
		return made.store(ctx, tx)
	})
	if errors.Is(err, ErrUnknown) { // it has been erased
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking at a callback: %w", err)
	}
	if silent {
		c.cancel(ctx, made)
	}
	if place {
		_, err = c.place(ctx, made, placeTimeout, false)
	}
	return err
}

// silence ends an attempt about which the platform has reported nothing for too long.
func (c *Callback) silence(now time.Time) {
	outcome := telephony.Outcome(PlatformSilent)
	if c.State == Talking {
		outcome = telephony.Talked
	}
	c.end(outcome, telephony.Untold, now)
	c.concluded = true
}

// begin begins the next attempt, which then has to be placed.
func (c *Callback) begin(ctx context.Context, tx db.Tx, now time.Time) error {
	c.Attempts++
	c.order = rand.Text()
	c.State, c.Reason, c.DueAt, c.EndedAt, c.deadlineAt, c.placed, c.concluded = CallingOperator, "", time.Time{}, time.Time{}, time.Time{}, false, false
	c.placingAt = now.Add(placeTimeout + lookTime)
	if _, err := tx.Exec(ctx, `INSERT INTO callback_orders (site_id, order_id, callback_id, attempt) VALUES ($1, $2, $3, $4)`, c.SiteID, c.order, c.ID, c.Attempts); err != nil {
		return err
	}
	if err := c.note(ctx, tx, Step{At: now, Attempt: c.Attempts, Kind: StepPlaced, Detail: c.Platform}); err != nil {
		return err
	}
	return c.store(ctx, tx)
}

// beginIfDue stores a new callback, and begins its first attempt if it is due now: the sender waits for the result, and
// the queue would not report it.
func (c *Callback) beginIfDue(ctx context.Context, tx db.Tx, now time.Time) error {
	if c.State == Waiting && !c.DueAt.After(now) {
		return c.begin(ctx, tx, now)
	}
	return c.store(ctx, tx)
}

// placeNow places an attempt that has begun, while somebody waits for the result.
func (c *Callbacks) placeNow(ctx context.Context, made Callback) (Result, error) {
	placed, err := c.place(ctx, made, promptTimeout, true)
	if err != nil {
		return Result{}, err
	}
	if !placed {
		return Result{Unreachable, PlatformError}, nil
	}
	return Result{Sent, CodeSent}, nil
}

// place asks the platform to make the calls of the attempt. placed is false if the platform has not accepted it. final
// then ends the callback; otherwise it is tried again.
func (c *Callbacks) place(ctx context.Context, made Callback, timeout time.Duration, final bool) (placed bool, err error) {
	failure := c.ask(ctx, made, timeout)
	if failure != nil {
		c.logger.Warn("a telephone platform has not taken an order", zap.String("platform", made.Platform), zap.Int64("site", made.SiteID), zap.Error(failure))
	}
	silent := errors.Is(failure, context.DeadlineExceeded)
	// The result is stored even if the caller no longer waits for it.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lookTime/2)
	defer stop()
	order := made.order
	err = c.DB.Attempt(ctx, made.ID, func(ctx context.Context, tx db.Tx) (err error) {
		placed = failure == nil
		if made, err = locked(ctx, tx, made.SiteID, made.ID); err != nil {
			return err
		}
		if made.order != order || made.placed || !made.State.Calling() {
			placed = true // the platform has told of it meanwhile, or somebody has closed it
			return nil
		}
		now := c.now()
		if placed {
			made.placed = true
			if made.deadlineAt.IsZero() {
				made.deadlineAt = now.Add(operatorDeadline)
			}
			return made.store(ctx, tx)
		}
		most := made.Most
		if final {
			made.Most = made.Attempts
		}
		made.end(PlatformError, telephony.Untold, now)
		made.Most, made.concluded = most, silent
		if final {
			made.result = Result{Unreachable, PlatformError}
		}
		if err := made.note(ctx, tx, Step{At: now, Attempt: made.Attempts, Kind: StepRefused, Detail: failure.Error()}); err != nil {
			return err
		}
		return made.store(ctx, tx)
	})
	if errors.Is(err, ErrUnknown) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("noting what came of an order: %w", err)
	}
	if !placed && silent { // it may have taken the order all the same
		c.cancel(ctx, made)
	}
	return placed, nil
}

// ask sends the order of the attempt.
func (c *Callbacks) ask(ctx context.Context, made Callback, timeout time.Duration) error {
	caller := c.dialler(made.Platform)
	if caller == nil {
		return errors.New("the platform is not configured here any more")
	}
	ctx, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	site, err := c.Key(ctx, made.SiteID)
	if err != nil {
		return err
	}
	taken := make(chan error, 1)
	aside.Go(c.logger, "placing an order", func() {
		err := errors.New("the platform's program has failed") // unless it returns
		defer func() { taken <- err }()
		err = caller.Place(ctx, telephony.Order{
			ID: made.order, Site: site, Operator: made.Operator, Visitor: made.Phone, CallerID: made.CallerID, Ring: Ring,
		})
	})
	select {
	case err := <-taken:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// cancel asks the platform to end the call. Nothing depends on the answer.
func (c *Callbacks) cancel(ctx context.Context, made Callback) {
	caller := c.dialler(made.Platform)
	if caller == nil || made.order == "" {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), placeTimeout)
	aside.Go(c.logger, "cancelling an order", func() {
		defer stop()
		if err := caller.Cancel(ctx, made.order); err != nil {
			c.logger.Info("an order could not be cancelled", zap.String("platform", made.Platform), zap.Error(err))
		}
	})
}
