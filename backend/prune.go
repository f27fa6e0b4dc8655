package backend

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db/duties"
	"github.com/seed-3405227d/frontdesk/backend/db/partition"
	"github.com/seed-3405227d/frontdesk/backend/visit/retain"
)

const (
	// pruneEvery is how often what is old is deleted.
	pruneEvery = time.Hour
	// pruneAgain is how soon the journal is looked at again of which old entries are still to be read.
	pruneAgain = 10 * time.Second
	// retainEvery is how often it is looked for visits that are older than they are kept.
	retainEvery = 10 * time.Second
)

// pruneJournal deletes old entries of the journal, until ctx ends.
func (d *Desk) pruneJournal(ctx context.Context, logger *zap.Logger) {
	for again := true; again; {
		pruned, unread, err := d.Journal.Prune(ctx, d.DB.Now())
		switch {
		case err != nil && ctx.Err() == nil:
			logger.Warn("pruning the journal failed", zap.Error(err))
		case pruned > 0:
			logger.Info("pruned the journal", zap.Int("entries", pruned))
		}
		pause := pruneEvery
		if unread {
			pause = pruneAgain
		}
		again = aside.Sleep(ctx, pause)
	}
}

// prune deletes what else is old, until ctx ends.
func (d *Desk) prune(ctx context.Context, logger *zap.Logger) {
	for again := true; again; again = aside.Sleep(ctx, pruneEvery) {
		for _, old := range []struct {
			what  string
			prune func(context.Context) error
		}{
			{"refused submissions", func(ctx context.Context) error { _, err := d.Refused.Prune(ctx); return err }},
			{"deliveries", d.Deliveries.Prune},
			{"conversions", d.Conversions.Prune},
			{"how much was stored", d.Texts.Prune},
			{"what sites have used of their limits", d.Limits.Prune},
			{"what became of pages", d.Sites.PrunePages},
			{"captchas", d.Captchas.Prune},
			{"the networks of callbacks", d.Callbacks.Prune},
			{"what became of forms", d.Forms.Prune},
			{"answers to programs", d.OpenAnswers.Prune},
		} {
			if err := old.prune(ctx); err != nil && ctx.Err() == nil {
				logger.Warn("pruning failed", zap.String("what", old.what), zap.Error(err))
			}
		}
	}
}

// retain deletes visits that are older than this node's configuration or their site keeps them, until ctx ends. One
// node does so at a time.
func (d *Desk) retain(ctx context.Context, logger *zap.Logger) {
	for {
		if err := d.Keys.Prepare(ctx, d.configured.Load().Retention); err != nil && ctx.Err() == nil {
			logger.Warn("cannot prepare the tables for the visits of the next days", zap.Error(err))
		}
		if !aside.Sleep(ctx, retainEvery) {
			return
		}
		limits, err := d.limits(ctx)
		if err == nil {
			limits, err = d.Retention.Passed(ctx, limits)
		}
		visits := 0
		if err == nil && len(limits) > 0 {
			_, err = duties.Do(ctx, d.DB, retain.Duty, func(ctx context.Context) error {
				for _, limit := range limits {
					pruned, err := d.Retention.Prune(ctx, limit)
					if visits += pruned; err != nil {
						return err
					}
				}
				return nil
			})
		}
		switch {
		case err != nil && ctx.Err() == nil:
			logger.Warn("pruning visits failed", zap.Error(err))
		case visits > 0:
			logger.Info("pruned visits", zap.Int("visits", visits))
		}
	}
}

// limits returns the limits of this node's configuration and of the sites that keep visits for a shorter time.
func (d *Desk) limits(ctx context.Context) (limits []retain.Limit, err error) {
	now, err := retain.Now(ctx, d.DB)
	if err != nil {
		return nil, err
	}
	kept, all := d.configured.Load().Retention, retain.Limit{Before: time.UnixMilli(0)} // which ends what was begun by another limit
	if kept != 0 {
		all = retain.Limit{Before: now.Add(-kept), Wait: time.Duration(partition.Days(kept)) * 24 * time.Hour}
	}
	limits = append(limits, all)
	sites, err := d.Sites.List(ctx)
	for _, s := range sites {
		if days := s.Settings.RetentionDays; days != nil {
			if before := now.AddDate(0, 0, -*days); kept == 0 || before.After(now.Add(-kept)) {
				limits = append(limits, retain.Limit{SiteID: s.ID, Before: before})
			}
		}
	}
	return limits, err
}
