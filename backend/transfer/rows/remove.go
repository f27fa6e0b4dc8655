package rows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/table"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Remove deletes all rows of the site, in all tables, while [site.Leave] holds for it. last has its argument done while
// nobody makes figures: changes that somebody has read already would become rows again.
func Remove(ctx context.Context, d *db.DB, siteID int64, last func(context.Context, func(context.Context) error) error) error {
	if siteID <= 0 { // rows of no site
		return errors.New("expected a site")
	}
	all, err := table.List(ctx, d)
	if err != nil {
		return err
	}
	pass := func(ctx context.Context) error {
		for _, t := range all {
			if err := empty(ctx, d, t, siteID); err != nil {
				return err
			}
		}
		return nil
	}
	if err := pass(ctx); err != nil {
		return err
	}
	return last(ctx, pass) // what goes leaves marks for reports
}

// empty deletes the rows of the site in the table.
func empty(ctx context.Context, d *db.DB, t table.Table, siteID int64) error {
	_, more, err := db.One(ctx, d.Read(), db.Only[int64], `SELECT 1 FROM `+t.Name+` WHERE site_id = $1 LIMIT 1`, siteID)
	if err != nil {
		return fmt.Errorf("reading %s: %w", t.Name, err)
	}
	for n := int64(storedAtOnce); more && n == storedAtOnce; {
		began := time.Now()
		if err := d.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) (err error) {
			if err := site.StillLeaving(ctx, tx, siteID); err != nil {
				return err
			}
			n, err = t.Delete(ctx, tx, siteID, storedAtOnce)
			return err
		}); err != nil {
			return err
		}
		if n > 0 && !aside.Sleep(ctx, storeShare*time.Since(began)) {
			return ctx.Err()
		}
	}
	return nil
}
