package lead

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
)

// SetSale says whether the lead is a sale, and of which amount, as [submission.Amount] reads it; an empty one is not
// known. The error may be ErrAmount, or that of SetState.
func (l *Leads) SetSale(ctx context.Context, by By, n Key, is bool, typed string) error {
	amount, ok := submission.Amount(typed)
	told := deed{kind: deedSale, said: amount}
	switch {
	case !is:
		told, amount = deed{kind: deedNoSale}, ""
	case !ok:
		return ErrAmount
	}
	return l.change(ctx, by, n, func(ctx context.Context, c *changing) error {
		if c.IsSale == is && c.SaleCost == amount {
			return nil
		}
		_, again, err := db.One(ctx, c.tx, db.Only[int64], `SELECT id FROM lead_deeds WHERE site_id = $1 AND lead_id = $2 AND kind IN ('sale', 'no_sale') LIMIT 1`, n.SiteID, n.ID)
		if err != nil {
			return err
		}
		said := told
		if is && (again || c.IsSale) {
			said.was = deedSale
		}
		c.note(c.Lead, said)
		_, err = c.tx.Exec(ctx, `UPDATE leads SET is_sale = $3, sale_cost = $4 WHERE site_id = $1 AND id = $2`, n.SiteID, n.ID, is, amount)
		return err
	})
}
