package console

import (
	"context"
	"net/url"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/console/sites"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
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

// atWork tells which parts of the site's installation were seen at work, and when.
func (s Subjects) atWork(ctx context.Context, siteID int64) (found sites.AtWork, err error) {
	seen, err := s.Sightings.Of(ctx, siteID)
	if err != nil {
		return found, err
	}
	found.Script, found.Replaced, found.Given = seen[sighting.Script], seen[sighting.Replaced], seen[sighting.Given]
	rivals, err := s.Sightings.Rivals(ctx, siteID)
	if err != nil {
		return found, err
	}
	for _, r := range rivals {
		found.Rivals = append(found.Rivals, sites.Rival(r))
	}
	declared, err := s.Numbers.Declared(ctx, siteID)
	if err != nil {
		return found, err
	}
	printed, err := s.Numbers.List(ctx, siteID)
	if err != nil {
		return found, err
	}
	for _, d := range declared {
		if len(d.Tracking) > 0 {
			found.Tracked = true
			found.OnPages = found.OnPages || slices.ContainsFunc(printed, func(p inventory.PrintedNumber) bool { return p.Digits == d.Digits })
		}
	}
	forms, err := s.Forms.List(ctx, scope.Of(siteID))
	if err != nil {
		return found, err
	}
	if len(forms) > 0 {
		found.Form = forms[0].LastAt
	}
	calls, err := s.Calls.List(ctx, call.Filter{Sites: scope.Of(siteID)}, call.Cursor{}, 1)
	if len(calls) > 0 {
		found.Call = calls[0].StartedAt
	}
	return found, err
}

// prefix is the path under which this server answers for the site of the key; empty if its configuration does not tell.
func (s Subjects) prefix(key string) string {
	if s.Service == nil {
		return ""
	}
	of, err := url.Parse(s.Service(key))
	if err != nil {
		return ""
	}
	return of.Path
}
