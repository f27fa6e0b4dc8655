package effect

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// sourceCookie holds the source that decides about a visitor's numbers.
const sourceCookie gate.Cookie = "svc_src"

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
		remembered = f.rememberedBy(r.Header)
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
		beside.SetCookies = f.sourceCookies(r.Host, q.Secure, next)
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
func (f *effect) rememberedBy(h http.Header) *attribution.Remembered {
	for value := range sourceCookie.Values(h, f.Shared()) {
		if remembered, err := attribution.ParseCookie(value); err == nil {
			return remembered
		}
	}
	return nil
}

// sourceCookies returns the Set-Cookie fields for next, in the answer of a host. If next is nil, they remove the cookie
// under each name that the browser may have it by, since a cookie that is left would be read again.
func (f *effect) sourceCookies(host string, secure bool, next *attribution.Remembered) (fields []string) {
	if next != nil {
		return []string{sourceCookie.For(host, secure, f.Shared(), next.Cookie()).String()}
	}
	for _, over := range []bool{true, false} {
		for _, shared := range []bool{true, false} {
			if field := sourceCookie.For(host, over, shared, "").String(); (secure || !over) && !slices.Contains(fields, field) {
				fields = append(fields, field)
			}
		}
	}
	return fields
}

// RecalledCookies returns the Set-Cookie fields that tell pages the source of a visitor whose browser does not remember it,
// by the stored visits. There are none if pages do not go by such a cookie, or if the visits are not known in time.
func (f *effect) RecalledCookies(ctx context.Context, visits *visit.Visits, visitor visit.ID, r *http.Request, q *Request, now time.Time) []string {
	if f.Prerender != prerenderStatic {
		return nil
	}
	address := url.URL{Scheme: "http", Host: r.Host, Path: "/"}
	if q.Secure {
		address.Scheme = "https"
	}
	next, err := f.attribution.RecallStored(ctx, f.numbers.plan, visits, f.id, f.own, visitor, address.String(), now)
	if err != nil || next == nil {
		return nil
	}
	return f.sourceCookies(r.Host, q.Secure, next)
}

// Shared says whether cookies are set for all hosts of the registrable domain.
func (f *effect) Shared() bool { return f.Of.Settings.Cookies == cookiesOfDomain }
