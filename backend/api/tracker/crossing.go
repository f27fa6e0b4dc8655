package tracker

import (
	"context"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

type crossingAnswer struct {
	Success  bool   `json:"success"`
	Crossing string `json:"crossing"`
}

// crossing serves v1/crossing: a token for a link to another host of the site.
func (t *Tracker) crossing(ctx context.Context, r *gate.Request) (any, error) {
	var from view.From
	if err := r.Decode(&from, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	v, err := t.Views.Find(ctx, r, from)
	if err != nil {
		return nil, err
	}
	return crossingAnswer{true, t.Views.CrossingToken(r, v.Visitor)}, nil
}

// Cross takes the token in the address of a page that is asked for. It returns the visitor, and the visitor's cookie as a
// field. There is none if the token is not good here, and if the browser is known already: it stays the visitor who it is.
// The request is as [gate.Request] says, and the visitor has agreed.
func (t *Tracker) Cross(ctx context.Context, of *http.Request, site gate.Site, token string) (visitor visit.ID, setCookie string) {
	r := &gate.Request{Request: of, Site: site}
	known, address := t.Whose(of, site)
	if known != 0 || r.Header.Get("Sec-Fetch-Mode") != "" && !navigates(r.Header) {
		return 0, ""
	}
	visitor = t.Views.Crossed(ctx, r, token, r.Referer(), "")
	if visitor == 0 {
		return 0, ""
	}
	return visitor, view.Cookie(r, t.Keys.VisitorString(site.ID, visitor), address).String()
}
