package number

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// storedSessions is how many of a visitor's sessions are searched for the one that decides.
const storedSessions = 10

// ChooseStored returns the choice for the visitor of a page view, by the stored visits. It does not query the database
// if no source decides, or if the view's own source does.
func (p *Plan) ChooseStored(ctx context.Context, a Attribution, visits *visit.Visits, siteID int64, hit visit.Hit) (Choice, error) {
	if !p.BySource() {
		return p.everyone, nil
	}
	source, err := a.decideStored(ctx, visits, siteID, hit)
	return p.Choose(compact(source)), err
}

// decideStored does what [Attribution.decide] does, for stored visits. The page view is among them.
func (a Attribution) decideStored(ctx context.Context, visits *visit.Visits, siteID int64, hit visit.Hit) (visit.Source, error) {
	arrived := hit.Came.Kind != "" && hit.Came.Kind != visit.Direct
	switch {
	case hit.NewVisitor, a == Last && hit.Came.Kind != "", a == LastNonDirect && arrived:
		return hit.Came, nil
	case a == First:
		return visits.CameFirst(ctx, siteID, hit.Visitor)
	}
	sessions := storedSessions
	if a == Last {
		sessions = 1
	}
	came, err := visits.Came(ctx, siteID, hit.Visitor, hit.URL, sessions)
	if err != nil || len(came) == 0 {
		return visit.Source{}, err
	}
	if a == LastNonDirect {
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
// [Plan.Follow] does the same for the page itself.
func (p *Plan) FollowHit(a Attribution, remembered *Remembered, hit visit.Hit) Choice {
	page := Page{Source: hit.Came, Within: hit.Came.Kind == "", At: hit.At}
	if page.Within {
		page.Source.Kind = visit.Direct
	}
	choice, _, _ := p.Follow(a, remembered, page)
	return choice
}
