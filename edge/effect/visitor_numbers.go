package effect

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/netip"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// HasTracking says whether a visitor may see another number in the place of any of the site's numbers.
func (f *effect) HasTracking() bool { return f.numbers.plan.HasTracking() }

// records returns what the script needs to know of the numbers for the visitor of the page view.
func (f *effect) records(ctx context.Context, desk *backend.Desk, r *http.Request, view visit.View) (json.RawMessage, error) {
	shown, err := f.ShownOf(ctx, desk, r, view, false)
	return shown.Records(), err
}

// ShownOf returns the numbers that the visitor of a page view sees. provisional says that only the request for the page
// tells of the visitor; leases are then short.
func (f *effect) ShownOf(ctx context.Context, desk *backend.Desk, r *http.Request, view visit.View, provisional bool) (snippet.Shown, error) {
	choice, err := f.choose(ctx, desk.Visits, r.Header, view)
	if err != nil {
		return snippet.Shown{}, err
	}
	return f.shownTo(ctx, desk.Leases, choice, gate.OneNetwork(r), view, provisional)
}

// choose finds the numbers by the source that decides for the visitor. If the pages replace numbers by source alone,
// the source cookie decides, as it does for these pages. Otherwise the stored visits decide.
func (f *effect) choose(ctx context.Context, visits *visit.Visits, h http.Header, view visit.View) (number.Choice, error) {
	plan := f.numbers.plan
	if f.Prerender == prerenderStatic && plan.BySource() {
		if remembered := f.rememberedBy(h); remembered != nil {
			return f.attribution.FollowView(plan, remembered, view), nil
		}
	}
	return f.attribution.ChooseStored(ctx, plan, visits, f.id, f.own, view)
}

// shownTo returns the numbers that the visitor of a page view, who asks from a network, sees by the choice. It leases numbers of pools.
func (f *effect) shownTo(ctx context.Context, leases *lease.Leases, choice number.Choice, from netip.Prefix, view visit.View, provisional bool) (snippet.Shown, error) {
	plan := f.numbers.plan
	pools := plan.Pools(choice)
	if pools == nil || view.Bot {
		return f.numbers.show(choice), nil
	}
	digits, leased := plan.Shown(choice), make([]snippet.Lease, f.numbers.many)
	for _, place := range slices.Sorted(maps.Keys(pools)) {
		has, outcome, err := leases.Take(ctx, lease.Want{
			Site: f.id, Visitor: view.Visitor, Visit: view.Visit, Replaces: plan.Printed(place), Pool: pools[place], First: view.NewVisit,
			Provisional: provisional, Network: from, Again: view.Repeated,
		})
		if err != nil {
			return snippet.Shown{}, err
		}
		digits[place], leased[place] = has, snippet.Lease{Lasting: lease.Lasting(pools[place], provisional), Alone: outcome.Alone()}
	}
	shown := f.numbers.printed.Show(digits, snippet.ForVisitor)
	shown.Lease(leased)
	return shown, nil
}

// ShownNow returns the numbers that the visitor sees on a page that is already open. It leases no number.
func (f *effect) ShownNow(ctx context.Context, desk *backend.Desk, visitor visit.ID, address string) (snippet.Shown, error) {
	plan := f.numbers.plan
	choice, err := f.attribution.ChooseStored(ctx, plan, desk.Visits, f.id, f.own, visit.View{Ref: visit.Ref{Visitor: visitor}, URL: address})
	if err != nil {
		return snippet.Shown{}, err
	}
	pools := plan.Pools(choice)
	if pools == nil {
		return f.numbers.show(choice), nil
	}
	current, err := desk.Leases.Current(ctx, f.id, visitor)
	if err != nil {
		return snippet.Shown{}, err
	}
	digits, leased := plan.Shown(choice), make([]snippet.Lease, f.numbers.many)
	for place, pool := range pools {
		if has, known := current[plan.Printed(place)]; known {
			digits[place], leased[place] = has.Digits, snippet.Lease{Lasting: lease.Lasting(pool, false), Alone: !has.Shared}
		}
	}
	shown := f.numbers.printed.Show(digits, snippet.ForVisitor)
	shown.Lease(leased)
	return shown, nil
}
