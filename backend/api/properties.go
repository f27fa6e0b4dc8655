package api

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// What a property holds at most, in bytes. What is longer is cut between characters, and
// a NUL is taken away.
const (
	maxPropertyName  = 128
	maxPropertyValue = 2048
)

// property serves v1/property: setProperty and deleteProperty.
func (a *API) property(ctx context.Context, c *call) (any, error) {
	var sent struct {
		caller
		Name string `json:"name"`
		// Value is nil for a flag.
		Value  *string `json:"value"`
		Delete bool    `json:"delete"`
	}
	if err := c.decode(&sent, maxScriptBody); err != nil {
		return nil, err
	}
	kept := propertyAnswer{Success: true, Name: visit.Clip(sent.Name, maxPropertyName)}
	if kept.Name == "" {
		return nil, malformed("missing", "a property needs a name")
	}
	if sent.Value != nil && !sent.Delete {
		value := visit.Clip(*sent.Value, maxPropertyValue)
		kept.Value = &value
	}
	p, err := a.page(ctx, c, sent.caller)
	if err != nil {
		return nil, err
	}
	if sent.Delete {
		return kept, a.Visits.DeleteProperty(ctx, c.site.ID, p.Ref, kept.Name)
	}
	if kept.Value != nil && !a.hasRoom(ctx, c, p.Visitor, len(kept.Name)+len(*kept.Value)) {
		*kept.Value = visit.Clip(*kept.Value, cutText)
	}
	return kept, a.Visits.SetProperty(ctx, c.site.ID, p.Ref, kept.Name, kept.Value)
}

// propertyAnswer is the property as it is kept, which the page has to see too.
type propertyAnswer struct {
	Success bool   `json:"success"`
	Name    string `json:"name"`
	// Value is nil for a flag, and for a property that was deleted.
	Value *string `json:"value"`
}
