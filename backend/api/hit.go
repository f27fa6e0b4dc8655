package api

import (
	"context"
	"encoding/json"
	"time"

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
	// Browser is the token of a browser that has sent no cookie. The script keeps it while the page is open.
	Browser string `json:"browser,omitempty"`
	Online  bool   `json:"online"`
	// Properties are the visitor's, null for a flag.
	Properties map[string]*string `json:"properties"`
	// Numbers are the records of the numbers in effect, null where these are not known
	// now. They are absent where the site has no tracking numbers.
	Numbers json.RawMessage `json:"numbers,omitempty"`
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
		if properties, err = a.Visits.Properties(ctx, c.site.ID, p.Visitor); err != nil {
			return nil, err
		}
		if properties == nil {
			properties = map[string]*string{}
		}
	}
	return hitAnswer{
		Success: true, SiteKey: c.site.Key, Key: a.Visits.Sign(c.site.ID, p.uri, p.Ref), URI: p.uri,
		Visitor: p.Visitor, Hit: p.Hit, Session: p.Session, Browser: a.browserOf(c, p.Visitor),
		ConsultantServerURL: c.base(v.URL), Online: a.online(ctx, c), Properties: properties,
		Numbers: a.numbers(ctx, c, hit),
	}, nil
}

// unknownNumbers has the script go on with the numbers that it knows.
var unknownNumbers = json.RawMessage("null")

// numbersTime bounds the choice of numbers: the page waits for the rest of the answer.
const numbersTime = time.Second

// numbers are the records of the numbers in effect for the visitor. A page view is stored
// and answered without them.
func (a *API) numbers(ctx context.Context, c *call, hit visit.Hit) json.RawMessage {
	if c.site.Numbers == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, numbersTime)
	defer cancel()
	records, err := c.site.Numbers(ctx, hit)
	if err != nil {
		a.outage.Do(func() {
			a.logger.Error("numbers of a visitor could not be chosen", zap.String("site", c.site.Key), zap.Error(err))
		})
		return unknownNumbers
	}
	return records
}

// online tells whether an operator is there. When that cannot be known, nobody
// is promised.
func (a *API) online(ctx context.Context, c *call) bool {
	online, err := a.Presence.Online(ctx, c.site.ID)
	if err != nil {
		a.outage.Do(func() {
			a.logger.Error("presence of operators could not be read", zap.String("site", c.site.Key), zap.Error(err))
		})
	}
	return online
}
