package api

import (
	"context"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// credentials are what a page knows of its view (browser interface, section
// 2.1). Key is signed over all the others, so that they need no look-up.
type credentials struct {
	SiteKey string   `json:"site_key"`
	Key     string   `json:"key"`
	URI     string   `json:"uri"`
	Visitor visit.ID `json:"visitor_id"`
	Hit     visit.ID `json:"hit_id"`
	Session visit.ID `json:"session_id"`
}

// view is a page view as the script reports it.
type view struct {
	SiteKey string `json:"site_key"`
	// View is the id that the script made for the view: reported twice, it is
	// one hit.
	View string `json:"view"`
	// Served is the id of the view that the page was sent with, where it was: see
	// [API.ServePage].
	Served   string `json:"served"`
	URL      string `json:"url"`
	Referrer string `json:"referrer"`
	Title    string `json:"title"`
	// Kind is load, history, restore or reinit.
	Kind string `json:"kind"`
	// Browser is the token that an earlier view of the page was answered with; empty for none.
	Browser string `json:"browser"`
}

// caller is the part that all calls of the script begin with: from which page
// they come, and which call it is. A call that is sent before its view was
// answered carries the view as well, or alone. The view counts where there are
// no credentials, or none that open the call.
type caller struct {
	Credentials *credentials `json:"credentials"`
	View        *view        `json:"hit"`
	// Browser is the token of a browser that sends no cookie; empty for none.
	Browser string `json:"browser"`
	// ID is made by the script, and is the same when a call is repeated.
	ID string `json:"id"`
}

// page is a page view that a call has been found to come from.
type page struct {
	visit.Ref
	uri string
}

// page finds the page view of the call.
func (a *API) page(ctx context.Context, c *call, from caller) (page, error) {
	if err := checkID("id", from.ID); err != nil {
		return page{}, err
	}
	return a.from(ctx, c, from)
}

// from is page for a call that may be made twice, and so needs no id.
func (a *API) from(ctx context.Context, c *call, from caller) (page, error) {
	if from.Credentials != nil {
		p, err := a.verified(c, *from.Credentials)
		if err == nil {
			err = a.admit(ctx, c, p.Ref, from.Browser)
		}
		if err == nil || from.View == nil {
			return p, err
		}
	}
	if from.View != nil {
		p, _, err := a.viewed(ctx, c, *from.View)
		return p, err
	}
	return page{}, malformed("missing", "credentials or hit is missing")
}

// verified are the credentials, found to be those that the service gave out. Who has sent them is not known yet.
func (a *API) verified(c *call, given credentials) (page, error) {
	if given.SiteKey != c.site.Key {
		return page{}, unknownSite()
	}
	ref := visit.Ref{Visitor: given.Visitor, Session: given.Session, Hit: given.Hit}
	if !validRef(ref) || !a.Visits.Verify(c.site.ID, given.URI, ref, given.Key) {
		return page{}, forged()
	}
	return page{Ref: ref, uri: given.URI}, nil
}

// viewed stores the page view and sets the visitor's cookie.
func (a *API) viewed(ctx context.Context, c *call, v view) (page, visit.Hit, error) {
	p, hit, cookie, err := a.store(ctx, c, v)
	if err == nil {
		http.SetCookie(c.w, cookie)
	}
	return p, hit, err
}

// store stores the page view, and gives the visitor's cookie.
func (a *API) store(ctx context.Context, c *call, v view) (page, visit.Hit, *http.Cookie, error) {
	if err := c.checkView(v); err != nil {
		return page{}, visit.Hit{}, nil, err
	}
	visitor, named := a.returning(c)
	if visitor == 0 {
		visitor, _ = a.Visits.ParseBrowserString(c.site.ID, v.Browser)
	}
	seen := visit.View{
		Nonce: v.View, Served: v.Served,
		URL: visit.Clip(v.URL, maxAddress), Referrer: visit.Clip(v.Referrer, maxAddress), Title: visit.Clip(v.Title, maxTitle), Kind: v.Kind,
		UserAgent: header(c.r, "User-Agent", maxUserAgent), Language: header(c.r, "Accept-Language", maxLanguage),
	}
	if !a.hasRoom(ctx, c, visitor, seen.Size()) {
		seen.URL, seen.Referrer, seen.Title = visit.Clip(seen.URL, cutAddress), visit.Clip(seen.Referrer, cutText), visit.Clip(seen.Title, cutText)
	}
	hit, err := a.Visits.Hit(ctx, c.site.ID, visitor, seen)
	if err != nil {
		return page{}, visit.Hit{}, nil, err
	}
	if hit.Visitor != visitor || named == "" {
		named = a.Visits.VisitorString(c.site.ID, hit.Visitor)
	}
	if !hit.Repeated {
		a.observer.Hit(c.site.Key)
	}
	return page{Ref: hit.Ref, uri: credentialAddress(v.URL)}, hit, c.visitorCookie(named, v.URL), nil
}

func (c *call) checkView(v view) error {
	if v.SiteKey != c.site.Key {
		return unknownSite()
	}
	if err := checkID("view", v.View); err != nil {
		return err
	}
	if v.Served != "" {
		if err := checkID("served", v.Served); err != nil {
			return err
		}
	}
	switch v.Kind {
	case "load", "history", "restore", "reinit":
	default:
		return malformed("wrong_type", "kind must be load, history, restore or reinit")
	}
	if err := checkTexts(maxScriptBody, field{"url", v.URL}, field{"referrer", v.Referrer}, field{"title", v.Title}); err != nil {
		return err
	}
	if !webAddress(v.URL) {
		return malformed("wrong_type", "url must be the http or https address of the page")
	}
	if !plainHost(c.r.Host) {
		return malformed("malformed_host", "the Host header names no host")
	}
	return nil
}

// validRef tells whether the ids can be ids at all: positive and below 2^53.
func validRef(ref visit.Ref) bool {
	for _, id := range []visit.ID{ref.Visitor, ref.Session, ref.Hit} {
		if id <= 0 || id >= 1<<53 {
			return false
		}
	}
	return true
}

// checkID checks an id that the script made: base64url, 16 to 64 characters.
func checkID(name, id string) error {
	valid := 16 <= len(id) && len(id) <= 64
	for i := 0; valid && i < len(id); i++ {
		ch := id[i]
		valid = 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z' || '0' <= ch && ch <= '9' || ch == '-' || ch == '_'
	}
	if !valid {
		return malformed("wrong_type", "%s must be 16 to 64 characters of base64url", name)
	}
	return nil
}

func unknownSite() *failure {
	return fail(http.StatusNotFound, "unknown_site", "the site key is not that of this site")
}

func forged() *failure {
	return fail(http.StatusForbidden, "forged", "the credentials are not those that this service gave to the page")
}

func foreignIDs() *failure {
	return fail(http.StatusForbidden, "foreign_ids", "the ids do not belong together, or are not of this site")
}
