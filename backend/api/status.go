package api

import "context"

type statusAnswer struct {
	Success bool `json:"success"`
	Online  bool `json:"online"`
}

// status serves v1/status?k=KEY: whether an operator is there.
func (a *API) status(ctx context.Context, c *call) (any, error) {
	if c.r.URL.Query().Get("k") != c.site.Key {
		return nil, unknownSite()
	}
	return statusAnswer{Success: true, Online: a.online(ctx, c)}, nil
}
