package api

import (
	"context"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// hitAnswer tells the page all that the script answers by itself from then on.
type hitAnswer struct {
	Success             bool     `json:"success"`
	SiteKey             string   `json:"site_key"`
	Key                 string   `json:"key"`
	URI                 string   `json:"uri"`
	Visitor             visit.ID `json:"visitor_id"`
	Hit                 visit.ID `json:"hit_id"`
	Session             visit.ID `json:"session_id"`
	ConsultantServerURL string   `json:"consultant_server_url"`
	Online              bool     `json:"online"`
	// Properties are the visitor's, null for a flag.
	Properties map[string]*string `json:"properties"`
}

// hit serves v1/hit: a page view.
func (a *API) hit(ctx context.Context, c *call) (any, error) {
	var v view
	if err := c.decode(&v, maxScriptBody); err != nil {
		return nil, err
	}
	p, hit, err := a.viewed(ctx, c, v)
	if err != nil {
		return nil, err
	}
	properties := map[string]*string{}
	if hit.Marked {
		if properties, err = a.visits.Properties(ctx, c.site.ID, p.Visitor); err != nil {
			return nil, err
		}
		if properties == nil {
			properties = map[string]*string{}
		}
	}
	return hitAnswer{
		Success: true, SiteKey: c.site.Key, Key: a.visits.Sign(c.site.ID, p.uri, p.Ref), URI: p.uri,
		Visitor: p.Visitor, Hit: p.Hit, Session: p.Session,
		ConsultantServerURL: c.base(v.URL), Online: a.online(ctx, c), Properties: properties,
	}, nil
}

// online tells whether an operator is there. When that cannot be known, nobody
// is promised.
func (a *API) online(ctx context.Context, c *call) bool {
	online, err := a.operators.Online(ctx, c.site.ID)
	if err != nil {
		a.outage.Do(func() {
			a.logger.Error("presence of operators could not be read", zap.String("site", c.site.Key), zap.Error(err))
		})
	}
	return online
}
