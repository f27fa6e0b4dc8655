package backend

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// retainEvery is how often it is looked for visits that are older than they are kept.
const retainEvery = 10 * time.Second

// retain deletes visits that are older than this node's configuration keeps them, until ctx ends. One node does so at a
// time.
func (d *Desk) retain(ctx context.Context, logger *zap.Logger) {
	for sleep(ctx, retainEvery) {
		c := d.configured.Load()
		if c == nil || c.Retention == 0 {
			continue
		}
		before := time.Now().Add(-c.Retention)
		sessions := 0
		older, err := d.Visits.HasOlder(ctx, before)
		if err == nil && older {
			_, err = d.DB.Duty(ctx, "retention", func(ctx context.Context) (err error) {
				sessions, err = d.Visits.Prune(ctx, before)
				return err
			})
		}
		switch {
		case err != nil && ctx.Err() == nil:
			logger.Warn("pruning visits failed", zap.Error(err))
		case sessions > 0:
			logger.Info("pruned visits", zap.Int("sessions", sessions), zap.Duration("retention", c.Retention))
		}
	}
}
