package cost

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// Undo takes an import out of effect: what it had replaced counts again. A draft is gone. The error may be [ErrUnknown].
func (c *Costs) Undo(ctx context.Context, siteID, id int64, by string) error {
	i, err := c.Get(ctx, siteID, id)
	if err != nil {
		return err
	}
	told, err := c.told(i, Undone, by)
	if err != nil {
		return err
	}
	err = c.db.Attempt(ctx, siteID, func(ctx context.Context, tx db.Tx) error {
		if i.State == Draft {
			changed, err := tx.Exec(ctx, `DELETE FROM cost_imports WHERE site_id = $1 AND id = $2 AND state = 'draft'`, siteID, id)
			if err == nil && changed == 0 { // somebody has confirmed it in the meantime
				err = ErrUnknown
			}
			return err
		}
		changed, err := tx.Exec(ctx, `UPDATE cost_imports SET state = 'undone', undone_at = $3, undone_by = $4 WHERE site_id = $1 AND id = $2 AND state = 'effect'`, siteID, id, db.Millis(c.now()), by)
		if err != nil || changed == 0 { // somebody else was first
			return err
		}
		return journal.Append(ctx, tx, told)
	})
	if err != nil {
		return err
	}
	return c.dropRows(ctx, siteID, id)
}

// dropRows deletes the rows of an import that does not count, some at a time.
func (c *Costs) dropRows(ctx context.Context, siteID, id int64) error {
	for from := int64(0); ; from += rowsAtOnce {
		var deleted int64
		err := c.db.Write(ctx, siteID, func(ctx context.Context, tx db.Tx) (err error) {
			deleted, err = tx.Exec(ctx, `DELETE FROM costs WHERE site_id = $1 AND import_id = $2 AND n >= $3 AND n < $4`, siteID, id, from, from+rowsAtOnce)
			return err
		})
		if err != nil {
			return fmt.Errorf("deleting costs: %w", err)
		}
		if deleted < rowsAtOnce {
			return nil
		}
	}
}

// dropDrafts deletes the drafts of the site that are old, or were made by the same operator.
func (c *Costs) dropDrafts(ctx context.Context, siteID int64, by string) error {
	old, err := db.List(ctx, c.db.Read(), db.Only[int64], `SELECT id FROM cost_imports WHERE site_id = $1 AND (state = 'draft' AND made_by = $2 OR state IN ('draft', 'loading') AND made_at < $3)`,
		siteID, by, db.Millis(c.now().Add(-draftLife)))
	if err != nil {
		return err
	}
	for _, id := range old {
		if err := c.dropRows(ctx, siteID, id); err != nil {
			return err
		}
		if err := c.db.Write(ctx, siteID, func(ctx context.Context, tx db.Tx) error {
			return tx.Send(ctx, `DELETE FROM cost_imports WHERE site_id = $1 AND id = $2 AND state IN ('draft', 'loading')`, siteID, id)
		}); err != nil {
			return err
		}
	}
	return nil
}
