package panel

import (
	"context"
	"encoding/json"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/api/widget"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
)

type widgetAnswer struct {
	Success  bool              `json:"success"`
	Online   bool              `json:"online"`
	Language string            `json:"language"`
	Texts    json.RawMessage   `json:"texts"`
	Widget   appearance.Panels `json:"widget"`
}

// widget serves v1/widget?k=KEY&l=LANG: all that the panels need to be shown. It sets and
// stores nothing, so nobody has to agree to it.
func (p *Panel) widget(ctx context.Context, r *gate.Request) (any, error) {
	query := r.URL.Query()
	if query.Get("k") != r.Site.Key {
		return nil, view.UnknownSite()
	}
	of := r.Site.Widget
	if of == nil {
		of = widget.New(nil, "")
	}
	chosen := of.Language(query.Get("l"), r.Field("Accept-Language", view.MaxLanguage))
	written := of.In(chosen)
	answer := widgetAnswer{Success: true, Online: p.online(ctx, r.Site), Language: chosen, Texts: written.Texts, Widget: written.Panels}
	answer.Widget.Captcha = r.Site.Callback.AsksCaptcha()
	answer.Widget.Sitephone = answer.Widget.Sitephone && p.callsBack(ctx, r)
	r.W.Header().Set("Cache-Control", "private, max-age=60")
	r.W.Header().Add("Vary", "Accept-Language")
	return answer, nil
}

// callsBack tells whether the site can have callbacks. While it cannot be told, it can.
func (p *Panel) callsBack(ctx context.Context, r *gate.Request) bool {
	possible, err := p.callbacks.Possible(ctx, r.Site.ID, r.Site.Callback)
	return possible || err != nil
}

type statusAnswer struct {
	Success bool `json:"success"`
	Online  bool `json:"online"`
}

// status serves v1/status?k=KEY: whether an operator is there.
func (p *Panel) status(ctx context.Context, r *gate.Request) (any, error) {
	if r.URL.Query().Get("k") != r.Site.Key {
		return nil, view.UnknownSite()
	}
	return statusAnswer{Success: true, Online: p.online(ctx, r.Site)}, nil
}
