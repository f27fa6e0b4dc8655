package snippet

import (
	"net/http"
	"slices"
	"strings"
)

// hideCookie takes a cookie out of a request's headers, and gives the fields as they
// were, or nil where the cookie is not there.
func hideCookie(h http.Header, name string) (saved []string) {
	fields := h["Cookie"]
	ours := func(pair string) bool {
		return strings.HasPrefix(strings.TrimPrefix(strings.TrimSpace(pair), "__Host-"), name+"=")
	}
	if name == "" || !slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(field, name+"=") }) {
		return nil
	}
	var kept []string
	for _, field := range fields {
		pairs := slices.DeleteFunc(strings.Split(field, ";"), ours)
		if rest := strings.TrimSpace(strings.Join(pairs, ";")); rest != "" {
			kept = append(kept, rest)
		}
	}
	if h["Cookie"] = kept; kept == nil {
		delete(h, "Cookie")
	}
	return fields
}

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

// depends says whether the page may be another one for other visitors, or for the
// origin.
func (v *Visit) depends() bool {
	return v.Shown.differs() || v.HideCookie != ""
}

// limitCaches tells caches for whom a page is that may hold numbers, with the visit's
// cookies if it is to bring them.
func (v *Visit) limitCaches(h http.Header, cookies bool) {
	cookies = cookies && len(v.SetCookies) > 0
	if v.Shown.audience != ForEveryone || cookies {
		makePrivate(h)
	}
	if v.HideCookie != "" {
		addVary(h, "Cookie")
	}
	if cookies {
		h["Set-Cookie"] = append(h["Set-Cookie"], v.SetCookies...)
	}
}
