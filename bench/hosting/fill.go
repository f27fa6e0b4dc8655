package hosting

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// fill makes a database with so many sites, as they are added in the console. Each has a number of its own.
func fill(ctx context.Context, file string, sites int) error {
	d, err := db.Open(ctx, db.Settings{Engine: db.SQLite, Source: file}, zap.NewNop())
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Migrate(ctx); err != nil {
		return err
	}
	numbers := inventory.New(d, time.Now)
	kept := site.New(d, time.Now, zap.NewNop(), func(ctx context.Context, tx db.Tx, siteID int64, own number.Own) error {
		return numbers.KeepOwn(ctx, tx, siteID, own, nil)
	})
	adding, ctx := errgroup.WithContext(ctx)
	adding.SetLimit(64)
	for n := range sites {
		adding.Go(func() error {
			added, err := kept.Add(ctx, key(n), "bench")
			if err != nil {
				return err
			}
			_, err = kept.Change(ctx, added.Key, added.Version, site.Settings{Numbers: []number.Number{{
				Number: fmt.Sprint(74951000000 + n), Tracking: []number.Tracking{{Static: fmt.Sprint(74961000000 + n), When: []string{"utm_source=news"}}},
			}}}, "bench")
			return err
		})
	}
	return adding.Wait()
}
