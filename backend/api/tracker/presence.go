package tracker

import (
	"context"
	"encoding/json"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
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
func (t *Tracker) presence(ctx context.Context, r *gate.Request) (any, error) {
	var sent struct {
		view.From
		Presence onsite.Presence `json:"presence"`
		Numbers  bool            `json:"numbers"`
	}
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	if !sent.Presence.Known() {
		return nil, gate.Malformed("wrong_type", "presence must be here, away or left")
	}
	v, err := t.Views.Find(ctx, r, sent.From)
	if err != nil {
		return nil, err
	}
	t.Onsite.See(r.Site.ID, v.Ref, sent.Presence)
	if !sent.Numbers || sent.Presence != onsite.Here {
		return gate.Succeeded{Success: true}, nil
	}
	stored, err := t.Visits.Again(ctx, r.Site.ID, v.Ref, r.Field("User-Agent", view.MaxUserAgent))
	if err != nil {
		return nil, err
	}
	numbers := t.numbers(ctx, r, stored)
	if numbers == nil { // the site has no tracking numbers any more
		numbers = json.RawMessage("[]")
	}
	return presenceAnswer{true, numbers}, nil
}
