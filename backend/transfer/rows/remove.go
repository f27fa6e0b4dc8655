package rows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/table"
)

// Remove deletes all rows of the site, in all tables.
func Remove(ctx context.Context, d *db.DB, siteID int64) error {
	if siteID <= 0 { // rows of no site
		return errors.New("expected a site")
	}
	all, err := table.List(ctx, d)
	if err != nil {
		return err
	}
	for range 2 { // what goes leaves marks for reports
		for _, t := range all {
			_, more, err := db.One(ctx, d.Read(), db.Only[int64], `SELECT 1 FROM `+t.Name+` WHERE site_id = $1 LIMIT 1`, siteID)
			if err != nil {
				return fmt.Errorf("reading %s: %w", t.Name, err)
			}
			for n := int64(storedAtOnce); more && n == storedAtOnce; {
				began := time.Now()
				if err := d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) (err error) {
					n, err = t.Delete(ctx, tx, siteID, storedAtOnce)
					return err
				}); err != nil {
					return err
				}
				if n > 0 && !aside.Sleep(ctx, storeShare*time.Since(began)) {
					return ctx.Err()
				}
			}
		}
	}
	return nil
}
