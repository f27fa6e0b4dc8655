package callback

import (
	"context"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/operator/group"
)

// Possible reports whether a site with these settings can call anybody back: callbacks are not off, there is a
// platform, and there is a number to call first.
func (c *Callbacks) Possible(ctx context.Context, siteID int64, s Settings) (bool, error) {
	if s.IsOff() || c.dialler(s.Platform) == nil {
		return false, nil
	}
	if s.Phone != "" {
		return true, nil
	}
	groups, err := c.Groups.Of(ctx, siteID)
	return slices.ContainsFunc(groups, func(g group.Group) bool { return g.Phone != "" }), err
}
