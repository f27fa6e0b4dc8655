package attribution

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// storedSessions is how many of a visitor's sessions are searched for the one that decides.
const storedSessions = 10

// ChooseStored returns the choice for the visitor of a page view, by the stored visits. It does not query the database
// if no source decides, or if the view's own source does.
func (m Model) ChooseStored(ctx context.Context, plan *number.Plan, visits *visit.Visits, siteID int64, hit visit.Hit) (number.Choice, error) {
	if !plan.BySource() {
		return plan.Choose(visit.Source{}), nil
	}
	source, err := m.decideStored(ctx, visits, siteID, hit)
	return plan.Choose(compact(source)), err
}

// decideStored does what [Model.decide] does, for stored visits. The page view is among them.
func (m Model) decideStored(ctx context.Context, visits *visit.Visits, siteID int64, hit visit.Hit) (visit.Source, error) {
	arrived := hit.Came.Kind != "" && hit.Came.Kind != visit.Direct
	switch {
	case hit.NewVisitor, m == Last && hit.Came.Kind != "", m == LastNonDirect && arrived:
		return hit.Came, nil
	case m == First:
		return visits.CameFirst(ctx, siteID, hit.Visitor)
	}
	sessions := storedSessions
	if m == Last {
		sessions = 1
	}
	came, err := visits.Came(ctx, siteID, hit.Visitor, hit.URL, sessions)
	if err != nil || len(came) == 0 {
		return visit.Source{}, err
	}
	if m == LastNonDirect {
		for _, source := range came {
			if source.Kind != visit.Direct {
				return source, nil
			}
		}
		return came[len(came)-1], nil
	}
	return came[0], nil
}

// FollowHit returns the choice for the visitor of a page view whose browser remembers the deciding source.
// [Model.Follow] does the same for the page itself.
func (m Model) FollowHit(plan *number.Plan, remembered *Remembered, hit visit.Hit) number.Choice {
	page := Page{Source: hit.Came, Within: hit.Came.Kind == "", At: hit.At}
	if page.Within {
		page.Source.Kind = visit.Direct
	}
	choice, _, _ := m.Follow(plan, remembered, page)
	return choice
}
