package edge

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// hasTracking tells whether any of the site's numbers can be another one for a visitor.
func (f *effect) hasTracking() bool { return f.block.settings.numbers.plan.HasStatic() }

// records are what the script is told of the numbers for the visitor of a page view, which
// the request has reported.
func (f *effect) records(ctx context.Context, desk *backend.Desk, r *http.Request, hit visit.Hit) (json.RawMessage, error) {
	choice, err := f.choose(ctx, desk.Visits, r.Header, hit)
	if err != nil {
		return nil, err
	}
	shown, err := f.shownTo(ctx, choice, hit.Ref)
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
func (f *effect) shownTo(ctx context.Context, choice number.Choice, ref visit.Ref) (snippet.Shown, error) {
	digits, leased, err := f.numbersFor(ctx, choice, ref)
	if err != nil || leased == nil {
		return f.block.show(choice), err
	}
	shown := f.block.printed.Show(digits, snippet.ForVisitor)
	shown.Lease(leased)
	return shown, nil
}

// numbersFor are the digits that are shown for each printed number by the choice, in the
// order of the numbers; empty for one that stays. leased tells which of them are this
// visitor's alone for a while. It is nil where none is: then the digits need not be given,
// since they are the choice's.
func (f *effect) numbersFor(_ context.Context, _ number.Choice, _ visit.Ref) (digits []string, leased []bool, err error) {
	return nil, nil, nil
}
