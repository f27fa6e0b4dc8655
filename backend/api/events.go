package api

import (
	"context"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// maxEventText is the size in bytes to which the texts of an event are cut.
const maxEventText = 512

// event serves v1/event: trackEvent.
func (a *API) event(ctx context.Context, c *call) (any, error) {
	var sent struct {
		caller
		Category string `json:"category"`
		Action   string `json:"action"`
		Name     string `json:"name"`
		Value    string `json:"value"`
	}
	if err := c.decode(&sent, maxScriptBody); err != nil {
		return nil, err
	}
	err := checkTexts(maxScriptBody, field{"category", sent.Category}, field{"action", sent.Action}, field{"name", sent.Name}, field{"value", sent.Value})
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(sent.Category) == "" || strings.TrimSpace(sent.Action) == "" {
		return nil, malformed("missing", "an event needs a category and an action")
	}
	p, err := a.page(ctx, c, sent.caller)
	if err != nil {
		return nil, err
	}
	told := func(most int) visit.Event {
		return visit.Event{
			Category: visit.Clip(sent.Category, most), Action: visit.Clip(sent.Action, most), Name: visit.Clip(sent.Name, most), Value: visit.Clip(sent.Value, most),
		}
	}
	e := told(maxEventText)
	if !a.hasRoom(ctx, c, p.Visitor, e.Size()) {
		e = told(cutText)
	}
	return succeeded{true}, a.Visits.TrackEvent(ctx, c.site.ID, p.Ref, sent.ID, e)
}
