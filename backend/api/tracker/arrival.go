package tracker

import (
	"context"
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Served is what a page is sent with that begins or goes on a visit.
type Served struct {
	// View is the id of the page view. The script names it, so that its report is of the same
	// view. It is empty for somebody who may be no visitor.
	View string
	// SetCookie is the visitor's cookie as a field; empty for none.
	SetCookie string
	// SiteKey, Key and URI are the credentials of the page, beside the ids of Stored.
	SiteKey, Key, URI string
	Stored            visit.View
	// First tells that the request named no visitor: nothing but the request itself tells of
	// one.
	First bool
}

const (
	// arrivalsAtOnce is how many first pages a client may be sent with visits at once, and
	// then one in arrivalPause. Whole offices share an address: further ones are left to the
	// script.
	arrivalsAtOnce = 20
	arrivalPause   = 3 * time.Second
)

// ServePage stores the view of a page that is about to be sent, under the id, which has the
// form of those of the script. The request is as [gate.Request] says. It has been found to ask
// for a page to be looked at, and the visitor has agreed.
//
// Nothing is stored for programs that are known as such, nor for clients that open more pages
// than a script may report. Nor is it for those who have brought no visitor's cookie, unless
// they say that they navigate, as all present browsers do over TLS (Fetch Metadata, section
// 2), and are not too many. These get the cookie of a stranger: who brings it back is a
// visitor.
func (t *Tracker) ServePage(ctx context.Context, of *http.Request, site gate.Site, id string) (Served, error) {
	r := &gate.Request{Request: of, Site: site}
	if t.Visits.IsBot(r.Field("User-Agent", view.MaxUserAgent)) || t.pages.Wait(of) > 0 {
		return Served{}, nil
	}
	visitor, address := t.Whose(of, site)
	report := view.Report{SiteKey: site.Key, View: id, URL: address, Referrer: r.Referer(), Kind: "load", Unscripted: true}
	if visitor == 0 && (!navigates(r.Header) || t.arrivals.Wait(of) > 0) {
		stranger, err := t.Keys.StrangerString(ctx, site.ID)
		if err != nil {
			return Served{}, err
		}
		return Served{SetCookie: view.Cookie(r, stranger, address).String()}, nil
	}
	v, stored, cookie, err := t.Views.Store(ctx, r, report)
	if err != nil {
		return Served{}, err
	}
	return Served{
		View: id, SetCookie: cookie.String(), SiteKey: site.Key, Key: t.Keys.Sign(site.ID, v.URI, v.Ref), URI: v.URI, Stored: stored, First: visitor == 0,
	}, nil
}

// Whose tells who asks by the visitor's cookie, 0 for nobody who is known, and for which
// address. The request is as [gate.Request] says.
func (t *Tracker) Whose(of *http.Request, site gate.Site) (visitor visit.ID, address string) {
	r := &gate.Request{Request: of, Site: site}
	scheme := "http"
	if r.Secure("") {
		scheme = "https"
	}
	visitor, _ = t.Views.Returning(r)
	return visitor, scheme + "://" + r.Host + r.URL.RequestURI()
}

// navigates tells whether a browser says that its user opens a page.
func navigates(h http.Header) bool {
	return h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Dest") == "document"
}
