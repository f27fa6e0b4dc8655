package tracker

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// visitor serves v1/visitor: addVisitorInfo.
func (t *Tracker) visitor(ctx context.Context, r *gate.Request) (any, error) {
	var sent struct {
		view.From
		Name  string `json:"name"`
		Email string `json:"email"`
		Phone string `json:"phone"`
	}
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	info := visit.Info{Name: sent.Name, Email: sent.Email, Phone: sent.Phone, Region: r.Site.Region(ctx)}
	if err := view.CheckInfo(info); err != nil {
		return nil, err
	}
	v, err := t.Views.FindOnce(ctx, r, sent.From)
	if err != nil {
		return nil, err
	}
	return gate.Succeeded{Success: true}, t.Visits.AddInfo(ctx, r.Site.ID, v.Ref, info)
}
