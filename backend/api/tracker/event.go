package tracker

import (
	"cmp"
	"context"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// maxEventText is the size in bytes to which the texts of an event are cut.
const maxEventText = 512

// event serves v1/event: trackEvent.
func (t *Tracker) event(ctx context.Context, r *gate.Request) (any, error) {
	var sent struct {
		view.From
		Category string `json:"category"`
		Action   string `json:"action"`
		Name     string `json:"name"`
		Value    string `json:"value"`
	}
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	if err := cmp.Or(
		gate.CheckText("category", sent.Category, gate.MaxScriptBody),
		gate.CheckText("action", sent.Action, gate.MaxScriptBody),
		gate.CheckText("name", sent.Name, gate.MaxScriptBody),
		gate.CheckText("value", sent.Value, gate.MaxScriptBody),
	); err != nil {
		return nil, err
	}
	if strings.TrimSpace(sent.Category) == "" || strings.TrimSpace(sent.Action) == "" {
		return nil, gate.Malformed("missing", "an event needs a category and an action")
	}
	if err := r.Site.Within(ctx, limit.Disk); err != nil {
		return nil, err
	}
	v, err := t.Views.FindOnce(ctx, r, sent.From)
	if err != nil {
		return nil, err
	}
	told := func(most int) visit.UserEvent {
		return visit.UserEvent{
			Category: clip.Text(sent.Category, most), Action: clip.Text(sent.Action, most), Name: clip.Text(sent.Name, most), Value: clip.Text(sent.Value, most),
		}
	}
	e := told(maxEventText)
	if !t.Views.HasRoom(ctx, r, v.Visitor, e.Size()) {
		e = told(view.CutText)
	}
	if err := t.Visits.TrackEvent(ctx, r.Site.ID, v.Ref, sent.ID, e); err != nil {
		return nil, err
	}
	r.Site.Stored(e.Size())
	return gate.Succeeded{Success: true}, nil
}
