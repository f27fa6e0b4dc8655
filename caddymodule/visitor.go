package caddymodule

import (
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// sourceCookie remembers the source that decides about a visitor's numbers.
const sourceCookie api.HostCookie = "svc_src"

// sourceCookieAge is the longest that browsers grant, 400 days (RFC 6265bis,
// section 5.5).
const sourceCookieAge = 400 * 24 * time.Hour

// visitOf finds what a request brings beside the page: which numbers its visitor is
// shown, and the cookies. If that fails, the page is the neutral one.
func (h *Handler) visitOf(r *http.Request) (beside snippet.Visit) {
	if h.Prerender != "static" {
		return snippet.Visit{}
	}
	defer func() {
		if cause := recover(); cause != nil {
			h.app.fault("choosing numbers", cause, debug.Stack())
			beside = snippet.Visit{HideCookie: string(sourceCookie)}
		}
	}()
	plan := &h.numbers.plan
	if !plan.BySource() {
		beside.Shown = h.shown(plan.Choose(visit.Source{}))
		return beside
	}
	beside.HideCookie = string(sourceCookie)
	agreed := api.Agreed(r.Header, h.Consent.Cookie, h.agreed)
	var remembered *number.Remembered
	if agreed {
		remembered = rememberedBy(r.Header)
	}
	address := addressOfPage(r)
	if isFetched(r.Header, address.Path) {
		source := visit.Source{}
		if remembered != nil {
			source = remembered.Source
		}
		beside.Shown = h.shown(plan.Choose(source))
		return beside
	}
	choice, next, changed := plan.Follow(h.Attribution, remembered, pageOf(r, address))
	if changed && agreed && !isPrefetch(r.Header) {
		beside.SetCookies = sourceCookies(r, next)
	}
	beside.Shown = h.shown(choice)
	return beside
}

// addressOfPage is the address that the client asked for, with its host.
func addressOfPage(r *http.Request) *url.URL {
	address := *r.URL
	if original, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request); ok {
		address = *original.URL
	}
	address.Host = r.Host
	return &address
}

// pageOf is the page that a request asks for, as attribution sees it.
func pageOf(r *http.Request, address *url.URL) number.Page {
	referrer := r.Referer()
	page := number.Page{Source: visit.SourceAt(address, referrer), At: time.Now()}
	// A source is direct only if the referrer is no other host's.
	page.Within = page.Source.Kind == visit.Direct &&
		(strings.HasPrefix(referrer, "http") || r.Header.Get("Sec-Fetch-Site") == "same-origin")
	return page
}

// fetchMarks are fields by which scripts of frameworks say that they ask for data or
// for a part of a page. Browsers say so themselves by Sec-Fetch-Dest, but only where
// the connection is secure.
var fetchMarks = [...]string{
	"Rsc", "X-Nextjs-Data", "Next-Router-State-Tree", "Hx-Request", "Turbo-Frame", "X-Pjax", "X-Requested-With",
}

// isFetched tells whether it is a page's script, or an element of a page, that asks:
// this begins no visit.
func isFetched(h http.Header, path string) bool {
	if dest := h.Get("Sec-Fetch-Dest"); dest != "" {
		return dest != "document"
	}
	for _, mark := range fetchMarks {
		if len(h[mark]) > 0 {
			return true
		}
	}
	if strings.HasPrefix(path, "/_next/data/") || strings.HasSuffix(path, "/__data.json") || strings.HasSuffix(path, "/_payload.json") {
		return true
	}
	accept := h.Get("Accept")
	return accept != "" && !strings.Contains(accept, "text/html") && !strings.Contains(accept, "*/*")
}

// isPrefetch tells whether a browser asks for a page that nobody may look at.
func isPrefetch(h http.Header) bool {
	return strings.Contains(h.Get("Sec-Purpose"), "prefetch") || h.Get("Purpose") == "prefetch" || h.Get("X-Moz") == "prefetch"
}

// rememberedBy is what a visitor's cookie says, the first one that can be read;
// nil if there is none.
func rememberedBy(h http.Header) *number.Remembered {
	for value := range sourceCookie.Values(h) {
		if remembered, err := number.ParseCookie(value); err == nil {
			return remembered
		}
	}
	return nil
}

// sourceCookies set the cookie to what is to be remembered. If that is nothing,
// they remove it, under each name that the browser may have it by: one that was
// left would be read again.
func sourceCookies(r *http.Request, next *number.Remembered) []string {
	secure := isSecure(r)
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

// isSecure tells whether the client's connection is, by itself or by the word of a
// trusted proxy.
func isSecure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	trusted, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool)
	return trusted && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}
