package caddymodule

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

const (
	// hostPlaceholder is the default site key.
	hostPlaceholder = "{http.request.host}"
	// pageBudget is how long a page may wait for the database.
	pageBudget = 50 * time.Millisecond
	// provisionTimeout is how long a call may wait for its site to be made.
	provisionTimeout = 2 * time.Second
)

// knownSite is the site of a handler that serves one, once it has been found.
type knownSite = atomic.Pointer[site.Site]

// namesOneSite tells whether the site's key is written out.
func (h *Handler) namesOneSite() bool { return !hasPlaceholder(h.SiteKey) }

// keyOf is the site key for the request. Hosts are the same in every case.
func (h *Handler) keyOf(r *http.Request) string {
	if h.namesOneSite() {
		return h.SiteKey
	}
	replacer := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	key := replacer.ReplaceAll(h.SiteKey, "")
	if strings.Contains(h.SiteKey, hostPlaceholder) {
		key = strings.ToLower(strings.TrimSuffix(key, "."))
	}
	return key
}

// isOfAnother tells whether the key, which a request has filled in, is one that
// another handler writes out. A request must not choose the handler, with its
// consent and variant, by which it acts for a site. But the host may be the key
// of a handler that has the host in front.
func (h *Handler) isOfAnother(key string) bool {
	if h.namesOneSite() || !h.app.writesOut(key) {
		return false
	}
	_, own := h.hosts()[key]
	return !own || h.SiteKey != hostPlaceholder
}

// findSite is the site of the request: site.ErrUnknown when there is none of
// that key, another error when that cannot be told in time.
func (h *Handler) findSite(r *http.Request) (site.Site, error) {
	if known := h.known.Load(); known != nil {
		return *known, nil
	}
	key := h.keyOf(r)
	if site.ValidKey(key) != nil || h.isOfAnother(key) {
		return site.Site{}, site.ErrUnknown
	}
	desk, done, err := h.app.service.Use()
	if err != nil {
		return site.Site{}, err
	}
	defer done()
	if h.namesOneSite() {
		return h.provision(r.Context(), desk)
	}
	ctx, cancel := context.WithTimeout(r.Context(), pageBudget)
	defer cancel()
	return desk.Sites.ByKey(ctx, key)
}

// provision makes the handler's site known, if the service has not yet.
func (h *Handler) provision(ctx context.Context, desk *backend.Desk) (site.Site, error) {
	ctx, cancel := context.WithTimeout(ctx, provisionTimeout)
	defer cancel()
	provisioned, err := desk.Sites.Provision(ctx, h.SiteKey)
	if err != nil {
		return site.Site{}, err
	}
	h.known.Store(&provisioned)
	return provisioned, nil
}
