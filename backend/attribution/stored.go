package attribution

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// storedVisits is how many of a visitor's visits are searched for the one that decides.
const storedVisits = 10

// ChooseStored returns the choice for the visitor of a page view, by the stored visits. own are the hosts of the site. It does not query the database
// if no source decides, or if the view's own source does.
func (m Model) ChooseStored(ctx context.Context, plan *number.Plan, visits *visit.Visits, siteID int64, own source.Own, view visit.View) (number.Choice, error) {
	if !plan.BySource() {
		return plan.Choose(source.Source{}), nil
	}
	deciding, err := m.decideStored(ctx, visits, siteID, own, view)
	return plan.Choose(compact(deciding)), err
}

// RecallStored returns what the browser of a visitor has to remember whose visits are stored, as [Model.Follow] does. address
// is that of a page of the site.
func (m Model) RecallStored(ctx context.Context, plan *number.Plan, visits *visit.Visits, siteID int64, own source.Own, visitor visit.ID, address string, at time.Time) (*Remembered, error) {
	if !plan.BySource() {
		return nil, nil
	}
	deciding, err := m.decideStored(ctx, visits, siteID, own, visit.View{Ref: visit.Ref{Visitor: visitor}, URL: address})
	if err != nil {
		return nil, err
	}
	deciding = compact(deciding)
	return m.remember(plan, deciding, plan.Choose(deciding), at), nil
}

// decideStored does what [Model.decide] does, for stored visits. The page view is among them.
func (m Model) decideStored(ctx context.Context, visits *visit.Visits, siteID int64, own source.Own, view visit.View) (source.Source, error) {
	arrived := view.Came.Kind != "" && view.Came.Kind != source.Direct
	switch {
	case view.NewVisitor, m == Last && view.Came.Kind != "", m == LastNonDirect && arrived:
		return view.Came, nil
	case m == First:
		return visits.CameFirst(ctx, siteID, view.Visitor)
	}
	last := storedVisits
	if m == Last {
		last = 1
	}
	came, err := visits.Came(ctx, siteID, view.Visitor, view.URL, own, last)
	if err != nil || len(came) == 0 {
		return source.Source{}, err
	}
	if m == LastNonDirect {
		for _, from := range came {
			if from.Kind != source.Direct {
				return from, nil
			}
		}
		return came[len(came)-1], nil
	}
	return came[0], nil
}

// FollowHit returns the choice for the visitor of a page view whose browser remembers the deciding source.
// [Model.Follow] does the same for the page itself.
func (m Model) FollowView(plan *number.Plan, remembered *Remembered, view visit.View) number.Choice {
	page := Page{Source: view.Came, Within: view.Came.Kind == "", At: view.At}
	if page.Within {
		page.Source.Kind = source.Direct
	}
	choice, _, _ := m.Follow(plan, remembered, page)
	return choice
}
