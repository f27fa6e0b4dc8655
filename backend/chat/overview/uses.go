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

// FileBytes returns how many bytes the files of the site's conversations have.
func (o *Overview) FileBytes(ctx context.Context, siteID int64) (int64, error) {
	n, _, err := db.One(ctx, o.db.Read(), db.Only[int64], `SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM chat_files WHERE site_id = $1`, siteID)
	if err != nil {
		return 0, fmt.Errorf("reading how large files are: %w", err)
	}
	return n, nil
}
