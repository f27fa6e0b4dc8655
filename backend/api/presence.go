package api

import (
	"context"
	"encoding/json"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// presenceAnswer tells the numbers in effect to a page that asks for them; null where they
// are not known now.
type presenceAnswer struct {
	Success bool            `json:"success"`
	Numbers json.RawMessage `json:"numbers"`
}

// presence serves v1/presence: a page says whether somebody looks at it. Where it shows
// numbers that are leased, it asks for those in effect with each word: these are the
// visitor's from then on, as after a page view.
func (a *API) presence(ctx context.Context, c *call) (any, error) {
	var sent struct {
		caller
		Presence visit.Presence `json:"presence"`
		Numbers  bool           `json:"numbers"`
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
	a.Visits.See(c.site.ID, p.Ref, sent.Presence)
	if !sent.Numbers || sent.Presence != visit.Here {
		return succeeded{true}, nil
	}
	hit, err := a.Visits.Again(ctx, c.site.ID, p.Ref, header(c.r, "User-Agent", maxUserAgent))
	if err != nil {
		return nil, err
	}
	numbers := a.numbers(ctx, c, hit)
	if numbers == nil { // the site has no tracking numbers any more
		numbers = json.RawMessage("[]")
	}
	return presenceAnswer{true, numbers}, nil
}
