// Package panel answers what the panels on a site's pages ask: how they look, whether an operator is there, captchas,
// and callbacks. Conversations have a room of their own.
package panel

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/pace"
)

// Panel serves the routes. It is safe for concurrent use.
type Panel struct {
	views     *view.Views
	captchas  *captcha.Captchas
	callbacks *callback.Callbacks
	now       func() time.Time
	// online tells whether an operator is there.
	online        func(context.Context, gate.Site) bool
	orders        *gate.Limits // of those who ask for callbacks
	issued, drawn *gate.Limits // of those who ask for captchas, and for their pictures and sounds
	asked         *asked
}

// New returns the panels' routes; online tells whether an operator is there.
func New(views *view.Views, captchas *captcha.Captchas, callbacks *callback.Callbacks, now func() time.Time, online func(context.Context, gate.Site) bool) *Panel {
	return &Panel{
		views: views, captchas: captchas, callbacks: callbacks, now: now, online: online,
		orders: gate.NewLimits(callbacksAtOnce, callbackPause),
		issued: gate.NewLimits(captchasAtOnce, captchaPause),
		drawn:  gate.NewLimits(drawnAtOnce, drawnPause),
		asked:  &asked{limit: pace.New(askedMost, askedFor, askedNetworks)},
	}
}

// Routes are those that panels call.
func (p *Panel) Routes() []gate.Route {
	return []gate.Route{
		{Path: "v1/status", Methods: gate.Get, Opens: gate.Open, Serve: p.status},
		{Path: "v1/callback", Methods: gate.Post, Opens: gate.OfBrowser, Serve: p.callback, Consent: true},
		{Path: "v1/widget", Methods: gate.Get, Opens: gate.Open, Serve: p.widget},
		{Path: "v1/captcha", Methods: gate.Post, Opens: gate.OfBrowser, Serve: p.captcha, Consent: true},
		{Path: "v1/captcha/{file}", Methods: gate.Get, Opens: gate.Open, Serve: p.captchaFile},
	}
}
