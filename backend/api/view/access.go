package view

import (
	"context"
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const (
	// credentialsTime is how long the credentials of a page view are good. Sites send requests hours and days after the view.
	credentialsTime = 30 * 24 * time.Hour
	// browserTime is how long the token of a browser without cookies is good. The next page view brings another.
	browserTime = credentialsTime
)

// admit refuses a request for the page view that the credentials alone do not open. token is the browser's, if it has one.
func (s *Views) admit(ctx context.Context, r *gate.Request, of visit.Ref, token string) error {
	if s.hasCookie(r, of.Visitor) {
		return nil
	}
	if visitor, valid := s.keys.ParseBrowserString(r.Site.ID, token); valid && visitor == of.Visitor {
		return nil
	}
	if r.Opens == gate.OfBrowser {
		return gate.NewFailure(http.StatusForbidden, "foreign_browser", "this is open to the visitor's own browser alone")
	}
	_, err := s.Recent(ctx, r, of)
	return err
}

// Recent is the page view, if its credentials are still good.
func (s *Views) Recent(ctx context.Context, r *gate.Request, ref visit.Ref) (visit.Viewed, error) {
	viewed, known, err := s.visits.Viewed(ctx, r.Site.ID, ref)
	switch {
	case err != nil:
		return viewed, err
	case !known:
		return viewed, ForeignIDs()
	case viewed.Age > credentialsTime:
		return viewed, gate.NewFailure(http.StatusForbidden, "expired", "the page view is too long ago: its credentials are good for %d days", credentialsTime/(24*time.Hour))
	}
	return viewed, nil
}

// hasCookie tells whether the request bears the visitor's cookie.
func (s *Views) hasCookie(r *gate.Request, visitor visit.ID) bool {
	named, _ := s.Returning(r)
	return named == visitor
}

// BrowserToken is the token by which the browser speaks for the visitor from now on; empty where it sends the cookie, which
// scripts cannot read.
func (s *Views) BrowserToken(r *gate.Request, visitor visit.ID) string {
	if s.hasCookie(r, visitor) {
		return ""
	}
	return s.keys.BrowserString(r.Site.ID, visitor, browserTime)
}

// withCookie is what a token in an address opens together with the visitor's cookie alone. The address may stand in a
// log then.
const withCookie = " with cookie"

// Token is one for an address under which the browser gets what opens says. Where the browser has the visitor's cookie,
// the token is worth nothing without it.
func (s *Views) Token(r *gate.Request, of visit.Ref, opens string, lasting time.Duration) string {
	if s.hasCookie(r, of.Visitor) {
		opens += withCookie
	}
	return s.keys.Token(r.Site.ID, of, opens, lasting)
}

// Bearer is the page view of the token in the request's address.
func (s *Views) Bearer(r *gate.Request, opens string) (View, error) {
	token := r.URL.Query().Get("t")
	ref, valid := s.keys.ParseToken(r.Site.ID, token, opens)
	if !valid {
		ref, valid = s.keys.ParseToken(r.Site.ID, token, opens+withCookie)
		valid = valid && s.hasCookie(r, ref.Visitor)
	}
	if !valid {
		return View{}, gate.NewFailure(http.StatusForbidden, "forged", "the address is not one that this service gave to the browser, or its time is over")
	}
	return View{Ref: ref}, nil
}
