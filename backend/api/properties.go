package api

import "context"

// What a property holds at most, in bytes. One that is longer is refused: a
// page reads back what it has set.
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
	if err := checkProperty(sent.Name, sent.Value); err != nil {
		return nil, err
	}
	p, err := a.page(ctx, c, sent.caller)
	if err != nil {
		return nil, err
	}
	if sent.Delete {
		return succeeded{true}, a.visits.DeleteProperty(ctx, c.site.ID, p.Ref, sent.Name)
	}
	return succeeded{true}, a.visits.SetProperty(ctx, c.site.ID, p.Ref, sent.Name, sent.Value)
}

func checkProperty(name string, value *string) error {
	if name == "" {
		return malformed("missing", "a property needs a name")
	}
	if err := checkTexts(maxPropertyName, field{"name", name}); err != nil || value == nil {
		return err
	}
	return checkTexts(maxPropertyValue, field{"value", *value})
}
