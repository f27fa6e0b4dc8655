// Package view finds the page view that a request under the prefix comes from, by the credentials that the page was
// given, the visitor's cookie, or a token. It stores the views that the script reports. The rooms that serve visitors
// ask it.
package view

import (
	"cmp"
	"context"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/client"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
)

// Views finds and stores page views. It is safe for concurrent use.
type Views struct {
	visits  *visit.Visits
	keys    *key.Keys
	texts   *quota.Texts
	clients *client.Clients
	// count is told the site of each new view.
	count func(site string)
}

// New returns the views among the visits; count is told the site's key of each new one.
func New(visits *visit.Visits, keys *key.Keys, texts *quota.Texts, clients *client.Clients, count func(site string)) *Views {
	return &Views{visits: visits, keys: keys, texts: texts, clients: clients, count: count}
}

// know takes the ids of platforms that the visitor's cookies have, if the visitor has agreed.
func (s *Views) know(r *gate.Request, visitor visit.ID) {
	if s.clients.Wants(r.Site.ID) && r.Site.Consent.Given(r.Header) {
		s.clients.See(r.Site.ID, visitor, r.Header)
	}
}

// Credentials are what a page knows of its view (browser interface, section
// 2.1). Key is signed over all the others, so that they need no look-up.
type Credentials struct {
	SiteKey string   `json:"site_key"`
	Key     string   `json:"key"`
	URI     string   `json:"uri"`
	Visitor visit.ID `json:"visitor_id"`
	View    visit.ID `json:"hit_id"`
	Visit   visit.ID `json:"session_id"`
}

// Report is a page view as the script reports it.
type Report struct {
	SiteKey string `json:"site_key"`
	// View is the id that the script made for the view: reported twice, it is
	// one hit.
	View string `json:"view"`
	// Served is the id of the view that the page was sent with; empty if it was sent without one.
	Served   string `json:"served"`
	URL      string `json:"url"`
	Referrer string `json:"referrer"`
	Title    string `json:"title"`
	// Kind is load, history, restore or reinit.
	Kind string `json:"kind"`
	// Browser is the token that an earlier view of the page was answered with, or that of the link that has led here from
	// another host of the site; empty for none.
	Browser string `json:"browser"`
	// Unscripted is as in [visit.Arrival].
	Unscripted bool `json:"-"`
}

// From is the part that all requests of the script begin with: from which page
// they come, and which request it is. A request that is sent before its view was
// answered carries the view as well, or alone. The view counts where there are
// no credentials, or none that open the route.
type From struct {
	Credentials *Credentials `json:"credentials"`
	View        *Report      `json:"hit"`
	// Browser is the token of a browser that sends no cookie; empty for none.
	Browser string `json:"browser"`
	// ID is made by the script, and is the same when the request is repeated.
	ID string `json:"id"`
}

// View is a page view that a request has been found to come from.
type View struct {
	visit.Ref
	// URI is the address of the page, as credentials carry it.
	URI string
}

// FindOnce is [Views.Find] for a request that is carried out once, however often it is sent: it has to have an id.
func (s *Views) FindOnce(ctx context.Context, r *gate.Request, from From) (View, error) {
	if err := CheckID("id", from.ID); err != nil {
		return View{}, err
	}
	return s.Find(ctx, r, from)
}

// Find finds the page view of the request.
func (s *Views) Find(ctx context.Context, r *gate.Request, from From) (View, error) {
	if from.Credentials != nil {
		v, err := s.Verified(r, *from.Credentials)
		if err == nil {
			err = s.admit(ctx, r, v.Ref, from.Browser)
		}
		if err == nil {
			s.know(r, v.Visitor)
		}
		if err == nil || from.View == nil {
			return v, err
		}
	}
	if from.View != nil {
		v, _, err := s.Open(ctx, r, *from.View)
		return v, err
	}
	return View{}, gate.Malformed("missing", "credentials or hit is missing")
}

// Verified are the credentials, found to be those that the service gave out. Who has sent them is not known yet.
func (s *Views) Verified(r *gate.Request, given Credentials) (View, error) {
	if given.SiteKey != r.Site.Key {
		return View{}, UnknownSite()
	}
	ref := visit.Ref{Visitor: given.Visitor, Visit: given.Visit, View: given.View}
	if !validRef(ref) || !s.keys.Verify(r.Site.ID, given.URI, ref, given.Key) {
		return View{}, Forged()
	}
	return View{Ref: ref, URI: given.URI}, nil
}

// Open stores the page view and sets the visitor's cookie.
func (s *Views) Open(ctx context.Context, r *gate.Request, v Report) (View, visit.View, error) {
	of, stored, cookie, err := s.Store(ctx, r, v)
	if err == nil {
		http.SetCookie(r.W, cookie)
	}
	return of, stored, err
}

// Store stores the page view, and gives the visitor's cookie.
func (s *Views) Store(ctx context.Context, r *gate.Request, v Report) (View, visit.View, *http.Cookie, error) {
	if err := check(r, v); err != nil {
		return View{}, visit.View{}, nil, err
	}
	visitor, named := s.Returning(r)
	if visitor == 0 {
		visitor, _ = s.keys.ParseBrowserString(r.Site.ID, v.Browser)
	}
	if visitor == 0 && v.Browser != "" {
		visitor = s.Crossed(ctx, r, v.Browser, v.Referrer, v.View)
	}
	seen := visit.Arrival{
		Nonce: v.View, Served: v.Served,
		URL: clip.Text(v.URL, MaxAddress), Referrer: clip.Text(v.Referrer, MaxAddress), Title: clip.Text(v.Title, MaxTitle), Kind: v.Kind,
		Own: r.Site.Own, UserAgent: r.Field("User-Agent", MaxUserAgent), Language: r.Field("Accept-Language", MaxLanguage), Client: r.Client(), Unscripted: v.Unscripted,
	}
	if !s.HasRoom(ctx, r, visitor, seen.Size()) {
		seen.URL, seen.Referrer, seen.Title = clip.Text(seen.URL, CutAddress), clip.Text(seen.Referrer, CutText), clip.Text(seen.Title, CutText)
	}
	stored, err := s.visits.Arrive(ctx, r.Site.ID, visitor, seen)
	if err != nil {
		return View{}, visit.View{}, nil, err
	}
	if stored.Visitor != visitor || named == "" {
		named = s.keys.VisitorString(r.Site.ID, stored.Visitor)
	}
	if !stored.Repeated {
		s.count(r.Site.Key)
		r.Site.Used(limit.Views)
		r.Site.Stored(seen.Size())
	}
	if !stored.Bot {
		s.know(r, stored.Visitor)
	}
	return View{Ref: stored.Ref, URI: CredentialAddress(v.URL)}, stored, Cookie(r, named, v.URL), nil
}

// check refuses a report that cannot be stored.
func check(r *gate.Request, v Report) error {
	if v.SiteKey != r.Site.Key {
		return UnknownSite()
	}
	if err := CheckID("view", v.View); err != nil {
		return err
	}
	if v.Served != "" {
		if err := CheckID("served", v.Served); err != nil {
			return err
		}
	}
	switch v.Kind {
	case "load", "history", "restore", "reinit":
	default:
		return gate.Malformed("wrong_type", "kind must be load, history, restore or reinit")
	}
	if err := cmp.Or(
		gate.CheckText("url", v.URL, gate.MaxScriptBody),
		gate.CheckText("referrer", v.Referrer, gate.MaxScriptBody),
		gate.CheckText("title", v.Title, gate.MaxScriptBody),
	); err != nil {
		return err
	}
	if !WebAddress(v.URL) {
		return gate.Malformed("wrong_type", "url must be the http or https address of the page")
	}
	return r.NamesHost()
}

// validRef tells whether the ids can be ids at all: positive and below 2^53.
func validRef(ref visit.Ref) bool {
	for _, id := range []visit.ID{ref.Visitor, ref.Visit, ref.View} {
		if id <= 0 || id >= 1<<53 {
			return false
		}
	}
	return true
}

// CheckID checks an id that the script made: base64url, 16 to 64 characters.
func CheckID(name, id string) error {
	valid := 16 <= len(id) && len(id) <= 64
	for i := 0; valid && i < len(id); i++ {
		ch := id[i]
		valid = 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z' || '0' <= ch && ch <= '9' || ch == '-' || ch == '_'
	}
	if !valid {
		return gate.Malformed("wrong_type", "%s must be 16 to 64 characters of base64url", name)
	}
	return nil
}

// UnknownSite is the failure of a request with the key of another site.
func UnknownSite() *gate.Failure {
	return gate.NewFailure(http.StatusNotFound, "unknown_site", "the site key is not that of this site")
}

// Forged is the failure of a request whose credentials are not genuine.
func Forged() *gate.Failure {
	return gate.NewFailure(http.StatusForbidden, "forged", "the credentials are not those that this service gave to the page")
}

// ForeignIDs is the failure of a request whose ids are not of one view.
func ForeignIDs() *gate.Failure {
	return gate.NewFailure(http.StatusForbidden, "foreign_ids", "the ids do not belong together, or are not of this site")
}

// CutText is the size in bytes to which texts are cut when the quota of the visitor or the site is used up, and
// CutAddress that of a page's address.
const CutText, CutAddress = 160, 512

// HasRoom tells whether a message of the visitor's may be stored whole. If that cannot be found out, it may.
func (s *Views) HasRoom(ctx context.Context, r *gate.Request, visitor visit.ID, size int) bool {
	room, err := s.texts.HasRoom(ctx, r.Site.ID, visitor, size, r.Site.Quota)
	return room || err != nil
}

// maxContact is the size in bytes of a visitor's name, e-mail or phone.
const maxContact = 1024

// CheckInfo refuses what is said of a visitor if it cannot be stored.
func CheckInfo(info visit.Info) error {
	return cmp.Or(
		gate.CheckText("name", info.Name, maxContact),
		gate.CheckText("email", info.Email, maxContact),
		gate.CheckText("phone", info.Phone, maxContact),
		info.Check(),
	)
}
