package visit

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Cross uses a link that brings the visitor to another host of the site, and that ends at the time, in seconds since 1970.
// A link is good once, and no longer when a later one has been used. It is good again for the view with the nonce, if
// that is among the last of the visitor's visit: then the view is reported again. Cross returns false for a visitor who
// is not known.
func (v *Visits) Cross(ctx context.Context, siteID int64, visitor ID, until int64, nonce string) (good bool, err error) {
	number, reported := v.keys.Visitors.Number(visitor), markOf(nonce, 0)
	err = v.db.WriteOwn(ctx, int64(visitor), func(ctx context.Context, tx db.Tx) error {
		used, err := tx.Exec(ctx, `UPDATE visitors SET crossed = $3 WHERE site_id = $1 AND id = $2 AND crossed < $3`, siteID, number, until)
		if good = used > 0; good || err != nil || nonce == "" {
			return err
		}
		recent, _, err := db.One(ctx, tx, db.Only[Recent], `SELECT visits.recent FROM visitors JOIN visits ON visits.site_id = visitors.site_id AND visits.id = visitors.visit_id
			WHERE visitors.site_id = $1 AND visitors.id = $2 AND visitors.crossed = $3`, siteID, number, until)
		good = recent.find(reported) != 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("crossing to another host: %w", err)
	}
	return good, nil
}
