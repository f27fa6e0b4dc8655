package backend

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// limitEvery is how often it is looked for new sites that nobody has told of.
const limitEvery = 5 * time.Second

// limitSites says what the sites may use that this node's configuration serves.
func limitSites(ctx context.Context, d *Desk) error {
	if err := d.Sites.Refresh(ctx); err != nil {
		return err
	}
	limits, served := d.configured.Load().Limits, make(map[int64]*limit.Limits)
	others, all := limits[AnyHost]
	d.Sites.Each(func(id int64, key string) {
		if of, named := limits[key]; named {
			served[id] = of
		} else if all {
			served[id] = others
		}
	})
	d.Limits.Configure(served)
	return nil
}

// keepLimiting does the same for sites that are added later, until ctx ends.
func keepLimiting(ctx context.Context, d *Desk, logger *zap.Logger) {
	news, cancel := d.DB.Subscribe(site.Topic)
	defer cancel()
	again := time.NewTicker(limitEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-news:
		case <-again.C:
		}
		if err := limitSites(ctx, d); err != nil && ctx.Err() == nil {
			logger.Warn("looking for sites that have limits failed: those of new sites are found later", zap.Error(err))
		}
	}
}
