package api

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// presence serves v1/presence: a page says whether somebody looks at it.
func (a *API) presence(ctx context.Context, c *call) (any, error) {
	var sent struct {
		caller
		Presence visit.Presence `json:"presence"`
	}
	if err := c.decode(&sent, maxScriptBody); err != nil {
		return nil, err
	}
	if !sent.Presence.Known() {
		return nil, malformed("wrong_type", "presence must be here, away or left")
	}
	p, err := a.from(ctx, c, sent.caller)
	if err != nil {
		return nil, err
	}
	a.visits.See(c.site.ID, p.Ref, sent.Presence)
	return succeeded{true}, nil
}
