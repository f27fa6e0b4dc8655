package effect

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// sourceCookie holds the source that decides about a visitor's numbers.
const sourceCookie gate.HostCookie = "svc_src"

// sourceCookieAge is the longest time that browsers keep a cookie, 400 days (RFC 6265bis, section 5.5).
const sourceCookieAge = 400 * 24 * time.Hour

// Visit finds the numbers and the cookies for the visitor of a page, from the request alone.
func (f *effect) Visit(r *http.Request, q *Request, now time.Time) (beside page.Visit) {
	beside.Purpose = page.PurposeOf(r.Header, q.URL.Path)
	plan := f.numbers.plan
	switch {
	case !f.Prerenders():
		return beside
	case f.Prerender == PrerenderDynamic:
		return f.unmet(beside, r, q, now)
	case !plan.BySource():
		beside.Shown = f.numbers.show(plan.Choose(source.Source{}))
		return beside
	}
	beside.ByCookie = true
	agreed := f.Consent.Given(r.Header)
	var remembered *attribution.Remembered
	if agreed {
		remembered = rememberedBy(r.Header)
	}
	if beside.Purpose.IsFetch() { // a fetch begins no visit
		source := source.Source{}
		if remembered != nil {
			source = remembered.Source
		}
		beside.Shown = f.numbers.show(plan.Choose(source))
		return beside
	}
	choice, next, changed := f.attribution.Follow(plan, remembered, pageOf(r, q.URL, f.own, now))
	if changed && agreed && !IsPrefetch(r.Header) {
		beside.SetCookies = sourceCookies(q.Secure, next)
	}
	beside.Shown = f.numbers.show(choice)
	return beside
}

// Prerenders says whether numbers are replaced before a page leaves the server.
func (f *effect) Prerenders() bool {
	return f.Prerender == prerenderStatic || f.Prerender == PrerenderDynamic
}

// unmet adds the numbers for a visitor of whom nothing is known but the request. The source of the request decides.
func (f *effect) unmet(beside page.Visit, r *http.Request, q *Request, now time.Time) page.Visit {
	plan := f.numbers.plan
	var source source.Source
	if page := pageOf(r, q.URL, f.own, now); !beside.Purpose.IsFetch() && !page.Within {
		source = page.Source
	}
	beside.ByCookie = true
	beside.Shown = f.numbers.show(plan.Choose(source))
	return beside
}

// pageOf returns the page that a request asks for, as attribution needs it.
func pageOf(r *http.Request, address *url.URL, own source.Own, now time.Time) attribution.Page {
	whole := *address
	whole.Host = r.Host
	return attribution.PageAt(&whole, r.Referer(), own, r.Header.Get("Sec-Fetch-Site") == "same-origin", now)
}

// IsPrefetch says whether the browser asks for a page that its user may never see.
func IsPrefetch(h http.Header) bool {
	return strings.Contains(h.Get("Sec-Purpose"), "prefetch") || h.Get("Purpose") == "prefetch" || h.Get("X-Moz") == "prefetch"
}

// rememberedBy returns the content of the first source cookie that can be read, or nil.
func rememberedBy(h http.Header) *attribution.Remembered {
	for value := range sourceCookie.Values(h) {
		if remembered, err := attribution.ParseCookie(value); err == nil {
			return remembered
		}
	}
	return nil
}

// sourceCookies returns the Set-Cookie fields for next. If next is nil, they remove the cookie under each name that the
// browser may have it by, since a cookie that is left would be read again.
func sourceCookies(secure bool, next *attribution.Remembered) []string {
	cookie := http.Cookie{
		Name: sourceCookie.Name(secure), Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure,
	}
	if next != nil {
		cookie.Value, cookie.MaxAge = next.Cookie(), int(sourceCookieAge.Seconds())
		return []string{cookie.String()}
	}
	removals := []string{cookie.String()}
	if secure {
		cookie.Name = sourceCookie.Name(false)
		removals = append(removals, cookie.String())
	}
	return removals
}
