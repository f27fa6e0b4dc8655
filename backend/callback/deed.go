package callback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback/request"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// mistakes are the errors that are returned to callers unchanged.
var mistakes = []error{ErrUnknown, ErrState, request.ErrPhone, request.ErrType, ErrTime}

func deed(doing string, err error) error {
	if err == nil {
		return nil
	}
	if at := slices.IndexFunc(mistakes, func(mistake error) bool { return errors.Is(err, mistake) }); at >= 0 {
		return mistakes[at]
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// By is a new callback requested in the console.
type By struct {
	SiteID int64
	// Login is the login of the operator who requests it.
	Login string
	// Ref is the visitor's reference, or zero.
	visit.Ref
	// Phone is the number as it was written, and Region the country of numbers without a country code.
	Phone, Region string
	GroupID       int64
	// Time is when to call; zero for now.
	Time time.Time
}

// Make adds a callback by hand and makes the call. The limits for visitors do not apply, except for the kinds of
// numbers. The error may be [request.ErrPhone], [request.ErrType] or [ErrTime].
func (c *Callbacks) Make(ctx context.Context, by By, s Settings) (Callback, Result, error) {
	made := Callback{SiteID: by.SiteID, State: Waiting, Origin: Console, Ref: by.Ref, GroupID: by.GroupID, WantedAt: by.Time, Talk: telephony.Untold}
	var err error
	if made.Phone, err = request.ReadPhone(by.Phone, by.Region); err != nil {
		return Callback{}, Result{}, err
	}
	if by.Time.Sub(c.now()) > request.Ahead {
		return Callback{}, Result{}, ErrTime
	}
	refused, err := c.plan(ctx, &made, s, by.Region)
	if err != nil {
		return Callback{}, Result{}, err
	}
	if by.Time.IsZero() { // somebody is there
		made.DueAt = c.now()
	}
	if made.ID, err = c.ids.Next(ctx); err != nil {
		return Callback{}, Result{}, err
	}
	begun := made
	err = c.DB.Write(ctx, made.ID, func(ctx context.Context, tx db.Tx) error {
		made = begun
		now := c.now()
		made.CreatedAt, made.ChangedAt = now, now
		if refused != "" {
			made.State, made.Reason, made.EndedAt, made.DueAt = Failed, refused, now, time.Time{}
			made.result = Result{NoScenario, refused}
		}
		if err := made.insert(ctx, tx); err != nil {
			return err
		}
		if err := made.note(ctx, tx, Step{At: now, Kind: StepAsked, Detail: made.Reason, By: by.Login}); err != nil {
			return err
		}
		return made.beginIfDue(ctx, tx, now)
	})
	if err != nil {
		return Callback{}, Result{}, deed("making a callback", err)
	}
	if made.State != CallingOperator {
		return made, made.result, nil
	}
	result, err := c.placeNow(ctx, made)
	return made, result, err
}

// Call makes the call of a callback now, with at least one more attempt. The callback waits or has ended. The error may
// be [ErrUnknown] or [ErrState].
func (c *Callbacks) Call(ctx context.Context, siteID, id int64, login string, s Settings) (Result, error) {
	before, err := c.Get(ctx, siteID, id)
	if err != nil {
		return Result{}, err
	}
	plan := before
	plan.Origin, plan.WantedAt = Console, time.Time{}
	refused, err := c.plan(ctx, &plan, s, "")
	if err != nil {
		return Result{}, err
	}
	if refused != "" {
		return Result{NoScenario, refused}, nil
	}
	var made Callback
	err = c.DB.Attempt(ctx, id, func(ctx context.Context, tx db.Tx) (err error) {
		if made, err = locked(ctx, tx, siteID, id); err != nil {
			return err
		}
		if made.State.Calling() {
			return ErrState
		}
		now := c.now()
		made.State, made.Reason, made.DueAt, made.EndedAt, made.concluded = Waiting, "", now, time.Time{}, false
		made.Operator, made.CallerID, made.Platform, made.Most = plan.Operator, plan.CallerID, plan.Platform, max(made.Most, made.Attempts+1)
		if err := made.note(ctx, tx, Step{At: now, Attempt: made.Attempts, Kind: StepAgain, By: login}); err != nil {
			return err
		}
		return made.begin(ctx, tx, now)
	})
	if err != nil {
		return Result{}, deed("calling by hand", err)
	}
	return c.placeNow(ctx, made)
}

// Postpone moves a callback to the time, unless it is being called. The error may be [ErrUnknown], [ErrState] or
// [ErrTime].
func (c *Callbacks) Postpone(ctx context.Context, siteID, id int64, until time.Time, login string) error {
	err := c.DB.Attempt(ctx, id, func(ctx context.Context, tx db.Tx) error {
		made, err := locked(ctx, tx, siteID, id)
		if err != nil {
			return err
		}
		now := c.now()
		switch {
		case made.State.Calling() || made.State == Done || made.Operator == "" || made.Platform == "":
			return ErrState
		case !until.After(now) || until.Sub(now) > request.Ahead:
			return ErrTime
		}
		made.State, made.Reason, made.DueAt, made.EndedAt, made.concluded, made.Most = Waiting, "", until, time.Time{}, false, max(made.Most, made.Attempts+1)
		if err := made.note(ctx, tx, Step{At: now, Attempt: made.Attempts, Kind: StepPostponed, By: login}); err != nil {
			return err
		}
		return made.store(ctx, tx)
	})
	return deed("postponing a callback", err)
}

// Close closes a callback: no more calls are made. The error may be [ErrUnknown] or [ErrState].
func (c *Callbacks) Close(ctx context.Context, siteID, id int64, login string) error {
	var made Callback
	calling := false
	err := c.DB.Attempt(ctx, id, func(ctx context.Context, tx db.Tx) (err error) {
		if made, err = locked(ctx, tx, siteID, id); err != nil {
			return err
		}
		if made.State == Done || made.State == Closed {
			return ErrState
		}
		now := c.now()
		calling = made.State.Calling()
		made.State, made.DueAt, made.deadlineAt, made.EndedAt, made.concluded = Closed, time.Time{}, time.Time{}, now, false
		if err := made.note(ctx, tx, Step{At: now, Attempt: made.Attempts, Kind: StepClosed, By: login}); err != nil {
			return err
		}
		return made.store(ctx, tx)
	})
	if err == nil && calling {
		c.cancel(ctx, made)
	}
	return deed("closing a callback", err)
}
