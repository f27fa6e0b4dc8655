package caddymodule

import (
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/seed-3405227d/frontdesk/caddymodule/placeholder"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

// requestOf is what Caddy knows of a request, all but the site's key.
func requestOf(r *http.Request) *effect.Request {
	q := &effect.Request{URL: r.URL, Secure: isSecure(r)}
	// Rewriting may come earlier.
	if original, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request); ok {
		q.URL = original.URL
	}
	q.Client, _ = caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	return q
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

// hostPlaceholder is the default site key.
const hostPlaceholder = "{http.request.host}"

// namesOneSite tells whether the site's key is written out.
func (h *Handler) namesOneSite() bool { return !placeholder.In(h.SiteKey) }

// keyOf is the site key for the request: empty, which is no key, where a request has
// filled in what another handler writes out. Hosts are the same in every case.
func (h *Handler) keyOf(r *http.Request) string {
	if h.namesOneSite() {
		return h.SiteKey
	}
	replacer := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	key := replacer.ReplaceAll(h.SiteKey, "")
	if strings.Contains(h.SiteKey, hostPlaceholder) {
		key = strings.ToLower(strings.TrimSuffix(key, "."))
	}
	if h.isOfAnother(key) {
		return ""
	}
	return key
}

// isOfAnother tells whether the key is one that another handler writes out. A request
// must not choose the handler, with its consent and variant, by which it acts for a
// site. But the host may be the key of a handler that has the host in front.
func (h *Handler) isOfAnother(key string) bool {
	if !h.app.writesOut(key) {
		return false
	}
	_, own := h.hosts()[key]
	return !own || h.SiteKey != hostPlaceholder
}
