package api

import (
	"context"
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// key is what opens a route.
type key string

const (
	// open routes tell nothing of a visitor.
	open key = "anybody"
	// ofView routes are opened by the credentials of a page view, which stand in forms, mails and logs. What they open
	// adds to what is known of the visitor, and tells nothing of it.
	ofView key = "page view"
	// ofBrowser routes are opened by the visitor's browser: by its cookie or, where it sends none, by its token.
	ofBrowser key = "browser"
	// ofAddress routes are opened by a token in their address; see [API.bearer].
	ofAddress key = "token"
)

const (
	// credentialsTime is how long the credentials of a page view are good. Sites call hours and days after the view.
	credentialsTime = 30 * 24 * time.Hour
	// browserTime is how long the token of a browser without cookies is good. The next page view brings another.
	browserTime = credentialsTime
)

// admit refuses a call for the page view that the credentials alone do not open. token is the browser's, if it has one.
func (a *API) admit(ctx context.Context, c *call, of visit.Ref, token string) error {
	if a.hasCookie(c, of.Visitor) {
		return nil
	}
	if visitor, valid := a.Visits.ParseBrowserString(c.site.ID, token); valid && visitor == of.Visitor {
		return nil
	}
	if c.opens == ofBrowser {
		return fail(http.StatusForbidden, "foreign_browser", "this is open to the visitor's own browser alone")
	}
	_, err := a.recent(ctx, c, of)
	return err
}

// recent is the page view, if its credentials are still good.
func (a *API) recent(ctx context.Context, c *call, ref visit.Ref) (visit.Viewed, error) {
	viewed, known, err := a.Visits.Viewed(ctx, c.site.ID, ref)
	switch {
	case err != nil:
		return viewed, err
	case !known:
		return viewed, foreignIDs()
	case viewed.Age > credentialsTime:
		return viewed, fail(http.StatusForbidden, "expired", "the page view is too long ago: its credentials are good for %d days", credentialsTime/(24*time.Hour))
	}
	return viewed, nil
}

// hasCookie tells whether the call bears the visitor's cookie.
func (a *API) hasCookie(c *call, visitor visit.ID) bool {
	named, _ := a.returning(c)
	return named == visitor
}

// browserOf is the token by which the browser calls for the visitor from now on; empty where it sends the cookie, which
// scripts cannot read.
func (a *API) browserOf(c *call, visitor visit.ID) string {
	if a.hasCookie(c, visitor) {
		return ""
	}
	return a.Visits.BrowserString(c.site.ID, visitor, browserTime)
}

// withCookie is what a token in an address opens together with the visitor's cookie alone. The address may stand in a
// log then.
const withCookie = " with cookie"

// token is one for an address under which the browser gets what opens says. Where the browser has the visitor's cookie,
// the token is worth nothing without it.
func (a *API) token(c *call, of visit.Ref, opens string, lasting time.Duration) string {
	if a.hasCookie(c, of.Visitor) {
		opens += withCookie
	}
	return a.Visits.Token(c.site.ID, of, opens, lasting)
}

// bearer is the page view of the token in the call's address.
func (a *API) bearer(c *call, opens string) (page, error) {
	token := c.r.URL.Query().Get("t")
	ref, valid := a.Visits.ParseToken(c.site.ID, token, opens)
	if !valid {
		ref, valid = a.Visits.ParseToken(c.site.ID, token, opens+withCookie)
		valid = valid && a.hasCookie(c, ref.Visitor)
	}
	if !valid {
		return page{}, fail(http.StatusForbidden, "forged", "the address is not one that this service gave to the browser, or its time is over")
	}
	return page{Ref: ref}, nil
}
