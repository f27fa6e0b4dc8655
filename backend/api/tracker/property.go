package tracker

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// What a property holds at most, in bytes. What is longer is cut between characters, and
// a NUL is taken away.
const (
	maxPropertyName  = 128
	maxPropertyValue = 2048
)

// property serves v1/property: setProperty and deleteProperty.
func (t *Tracker) property(ctx context.Context, r *gate.Request) (any, error) {
	var sent struct {
		view.From
		Name string `json:"name"`
		// Value is nil for a flag.
		Value  *string `json:"value"`
		Delete bool    `json:"delete"`
	}
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	kept := propertyAnswer{Success: true, Name: clip.Text(sent.Name, maxPropertyName)}
	if kept.Name == "" {
		return nil, gate.Malformed("missing", "a property needs a name")
	}
	if sent.Value != nil && !sent.Delete {
		value := clip.Text(*sent.Value, maxPropertyValue)
		kept.Value = &value
	}
	if !sent.Delete {
		if err := r.Site.Within(ctx, limit.Disk); err != nil {
			return nil, err
		}
	}
	v, err := t.Views.FindOnce(ctx, r, sent.From)
	if err != nil {
		return nil, err
	}
	if sent.Delete {
		return kept, t.Visits.DeleteProperty(ctx, r.Site.ID, v.Ref, kept.Name)
	}
	if kept.Value != nil && !t.Views.HasRoom(ctx, r, v.Visitor, len(kept.Name)+len(*kept.Value)) {
		*kept.Value = clip.Text(*kept.Value, view.CutText)
	}
	return kept, t.Visits.SetProperty(ctx, r.Site.ID, v.Ref, kept.Name, kept.Value)
}

// propertyAnswer is the property as it is kept, which the page has to see too.
type propertyAnswer struct {
	Success bool   `json:"success"`
	Name    string `json:"name"`
	// Value is nil for a flag, and for a property that was deleted.
	Value *string `json:"value"`
}
