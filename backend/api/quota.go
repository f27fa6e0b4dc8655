package api

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// cutText is the size in bytes to which texts are cut when the quota of the visitor or the site is used up, and
// cutAddress that of a page's address.
const cutText, cutAddress = 160, 512

// hasRoom tells whether a message of the visitor's may be stored whole. If that cannot be found out, it may.
func (a *API) hasRoom(ctx context.Context, c *call, visitor visit.ID, size int) bool {
	room, err := a.Visits.HasRoom(ctx, c.site.ID, visitor, size, c.site.Quota)
	return room || err != nil
}
