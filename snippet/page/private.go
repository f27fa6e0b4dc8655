package page

import (
	"net/http"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet"
)

// makePrivate keeps a response out of shared caches (RFC 9111, 5.2.2.7, and the
// fields that speak to caches of one kind).
func makePrivate(h http.Header) {
	kept := []string{"private"}
	for _, directive := range splitList(h["Cache-Control"]) {
		name, _, _ := strings.Cut(strings.ToLower(directive), "=")
		switch name {
		case "public", "private", "s-maxage", "proxy-revalidate":
		default:
			kept = append(kept, directive)
		}
	}
	h["Cache-Control"] = []string{strings.Join(kept, ", ")}
	for _, name := range [...]string{"Surrogate-Control", "Cdn-Cache-Control", "Cloudflare-Cdn-Cache-Control", "Vercel-Cdn-Cache-Control", "X-Accel-Expires"} {
		delete(h, name)
	}
}

// depends says whether the page may be another one for other visitors.
func (v *Visit) depends() bool {
	return v.Shown.Differs() || v.ByCookie
}

// limitCaches tells caches for whom a page is that may hold numbers, with the visit's
// cookies if it is to bring them.
func (v *Visit) limitCaches(h http.Header, cookies bool) {
	cookies = cookies && len(v.SetCookies) > 0
	if v.Shown.Audience() != snippet.ForEveryone || cookies {
		makePrivate(h)
	}
	if v.ByCookie {
		addVary(h, "Cookie")
		for _, field := range v.VaryBy {
			addVary(h, field)
		}
	}
	if cookies {
		h["Set-Cookie"] = append(h["Set-Cookie"], v.SetCookies...)
	}
}
