package console

import (
	"context"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/console/sites"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// there tells what a site has beside its pages.
func (s Subjects) there(ctx context.Context, siteID int64) (found sites.There, err error) {
	declared, err := s.Numbers.Declared(ctx, siteID)
	if err != nil {
		return found, err
	}
	found.Number = slices.ContainsFunc(declared, func(d number.Declared) bool { return len(d.Tracking) > 0 })
	told, err := s.Calls.List(ctx, call.Filter{Sites: scope.Of(siteID)}, call.Cursor{}, 1)
	if err != nil {
		return found, err
	}
	receivers, err := s.Deliveries.Endpoints.List(ctx, siteID)
	found.Call, found.Receiver = len(told) > 0, len(receivers) > 0
	return found, err
}
