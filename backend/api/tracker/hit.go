package tracker

import (
	"context"
	"encoding/json"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// hitAnswer tells the page all that the script answers by itself from then on.
type hitAnswer struct {
	Success             bool     `json:"success"`
	SiteKey             string   `json:"site_key"`
	Key                 string   `json:"key"`
	URI                 string   `json:"uri"`
	Visitor             visit.ID `json:"visitor_id"`
	View                visit.ID `json:"hit_id"`
	Visit               visit.ID `json:"session_id"`
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
func (t *Tracker) hit(ctx context.Context, r *gate.Request) (any, error) {
	var report view.Report
	if err := r.Decode(&report, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	if err := r.Site.Within(ctx, limit.Views, limit.Disk); err != nil {
		return nil, err
	}
	v, stored, err := t.Views.Open(ctx, r, report)
	if err != nil {
		return nil, err
	}
	properties := map[string]*string{}
	if stored.Marked {
		if properties, err = t.Visits.Properties(ctx, r.Site.ID, v.Visitor); err != nil {
			return nil, err
		}
		if properties == nil {
			properties = map[string]*string{}
		}
	}
	return hitAnswer{
		Success: true, SiteKey: r.Site.Key, Key: t.Keys.Sign(r.Site.ID, v.URI, v.Ref), URI: v.URI,
		Visitor: v.Visitor, View: v.View, Visit: v.Visit, Browser: t.Views.BrowserToken(r, v.Visitor),
		ConsultantServerURL: r.Base(report.URL), Online: t.online(ctx, r.Site), Properties: properties,
		Numbers: t.numbers(ctx, r, stored),
	}, nil
}

// unknownNumbers has the script go on with the numbers that it knows.
var unknownNumbers = json.RawMessage("null")

// NumbersTime bounds the choice of numbers: the page waits for the rest of the answer. Tests on a busy machine wait longer.
var NumbersTime = time.Second

// numbers are the records of the numbers in effect for the visitor. A page view is stored
// and answered without them.
func (t *Tracker) numbers(ctx context.Context, r *gate.Request, stored visit.View) json.RawMessage {
	if r.Site.Numbers == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, NumbersTime)
	defer cancel()
	records, err := r.Site.Numbers(ctx, stored)
	if err != nil {
		t.outage.Do(func() {
			t.logger.Error("numbers of a visitor could not be chosen", zap.String("site", r.Site.Key), zap.Error(err))
		})
		return unknownNumbers
	}
	if len(records) > len("[]") && !stored.Bot && t.Sightings != nil {
		t.Sightings.Note(r.Site.ID, sighting.Given)
	}
	return records
}
