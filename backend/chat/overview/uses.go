package overview

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// CountOpen returns how many conversations of the site are not closed.
func (o *Overview) CountOpen(ctx context.Context, siteID int64) (int64, error) {
	n, _, err := db.One(ctx, o.db.Read(), db.Only[int64], `SELECT COUNT(*) FROM conversations WHERE site_id = $1 AND state <> 'closed'`, siteID)
	if err != nil {
		return 0, fmt.Errorf("counting conversations: %w", err)
	}
	return n, nil
}
