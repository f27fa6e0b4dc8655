package edge

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// hasTracking tells whether any of the site's numbers can be another one for a visitor.
func (f *effect) hasTracking() bool { return f.block.settings.numbers.plan.HasTracking() }

// records are what the script is told of the numbers for the visitor of a page view, which
// the request has reported.
func (f *effect) records(ctx context.Context, desk *backend.Desk, r *http.Request, hit visit.Hit) (json.RawMessage, error) {
	choice, err := f.choose(ctx, desk.Visits, r.Header, hit)
	if err != nil {
		return nil, err
	}
	shown, err := f.shownTo(ctx, desk.Leases, choice, hit)
	if err != nil {
		return nil, err
	}
	return shown.Records(), nil
}

// choose finds the numbers by the visitor's deciding source. What pages replace on the way
// follows the cookie that these pages set, and so does the script there. All others follow
// the visits that are stored.
func (f *effect) choose(ctx context.Context, visits *visit.Visits, h http.Header, hit visit.Hit) (number.Choice, error) {
	plan := &f.block.settings.numbers.plan
	if f.prerender && plan.BySource() {
		if remembered := rememberedBy(h); remembered != nil {
			return plan.FollowHit(f.attribution, remembered, hit), nil
		}
	}
	return plan.ChooseStored(ctx, f.attribution, visits, f.id, hit)
}

// shownTo is what the visitor of a page view sees by the choice.
func (f *effect) shownTo(ctx context.Context, leases *number.Leases, choice number.Choice, hit visit.Hit) (snippet.Shown, error) {
	plan := &f.block.settings.numbers.plan
	pools := plan.Pools(choice)
	if pools == nil || hit.Bot {
		return f.block.show(choice), nil
	}
	digits, lasting := plan.Shown(choice), make([]time.Duration, len(f.block.settings.Numbers))
	for _, place := range slices.Sorted(maps.Keys(pools)) {
		var err error
		if digits[place], _, err = leases.Take(ctx, number.Want{
			Site: f.id, Visitor: hit.Visitor, Session: hit.Session, Replaces: plan.Printed(place), Pool: pools[place], First: hit.NewSession, Again: hit.Repeated,
		}); err != nil {
			return snippet.Shown{}, err
		}
		lasting[place] = pools[place].Lasting()
	}
	shown := f.block.printed.Show(digits, snippet.ForVisitor)
	shown.Lease(lasting)
	return shown, nil
}
