package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/caddymodule/placeholder"
	"github.com/seed-3405227d/frontdesk/edge"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

func init() {
	caddy.RegisterModule(new(Handler))
}

// Handler tracks a site: it weaves the insertion code into the pages that pass
// through and answers the requests under the prefix. Whatever fails of its own,
// a page leaves as the origin sent it.
type Handler struct {
	// The key of the site: 1 to 64 letters, digits, and `.`, `_`, `:`, `-`.
	// A key that is written out makes a known site. With a placeholder in it,
	// one handler serves many sites, and the pages of sites that are not known
	// pass untouched; hosts that the configuration names in front of the handler
	// are known, and keys that other handlers write out are not. Default: `{http.request.host}`, in lower case.
	SiteKey string `json:"site_key,omitempty"`

	// Which requests are for pages to be tracked. Default: all. What is under
	// the prefix is answered in any case.
	MatcherSetsRaw caddyhttp.RawMatcherSets `json:"match,omitempty" caddy:"namespace=http.matchers"`

	effect.Settings

	// Where a Caddyfile has the settings with placeholders, for errors. Adapting a
	// Caddyfile fills it in.
	WrittenAt placeholder.Places `json:"written_at,omitempty"`

	pooled pooled // the numbers of all pools, while a Caddyfile is adapted

	app      *App
	logger   *zap.Logger
	matchers caddyhttp.MatcherSets
	hosts    func() map[string]struct{} // see App.hostsOf
	block    atomic.Pointer[edge.Block] // nil once the configuration has been replaced
	left     weak.Pointer[edge.Block]   // the same block, as long as requests under way use it
}

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.frontdesk",
		New: func() caddy.Module { return new(Handler) },
	}
}

// Provision checks the settings and prepares what goes into pages.
func (h *Handler) Provision(ctx caddy.Context) error {
	h.logger = ctx.Logger()
	app, err := ctx.App("frontdesk")
	if err != nil {
		return err
	}
	h.app = app.(*App)
	h.Declaration().UsePools(h.app.pools)
	if err := h.complete(); err != nil {
		return err
	}
	for _, pool := range h.Declaration().OwnPools() {
		if err := h.app.claim(pool); err != nil {
			return err
		}
	}
	if len(h.MatcherSetsRaw) > 0 {
		matchers, err := ctx.LoadModule(h, "MatcherSetsRaw")
		if err != nil {
			return fmt.Errorf("loading matchers: %w", err)
		}
		if err := h.matchers.FromInterface(matchers); err != nil {
			return err
		}
	}
	block, err := h.app.edge.Add(h.Settings)
	if err != nil {
		return err
	}
	h.block.Store(block)
	h.left = weak.Make(block)
	h.hosts = sync.OnceValue(func() map[string]struct{} { return h.app.hostsOf(h) })
	if h.namesOneSite() {
		h.app.provisionSite(h.SiteKey)
	}
	return nil
}

// complete checks the settings, resolves their placeholders and fills in the defaults.
func (h *Handler) complete() error {
	if err := checkSiteKey(h.SiteKey); err != nil {
		return err
	}
	if h.SiteKey == "" {
		h.SiteKey = hostPlaceholder
	}
	for _, n := range h.Numbers {
		for i := range n.Pictures {
			p := &n.Pictures[i]
			font, err := placeholder.Fill(p.Font)
			if err != nil {
				return h.WrittenAt.At(p.Font, fmt.Errorf("picture %q: font: %w", p.Place, err))
			}
			if err := (number.Picture{Place: p.Place, Font: font}).Check(); err != nil {
				return h.WrittenAt.At(p.Font, err)
			}
			p.Font = font
		}
	}
	return h.Complete()
}

func checkSiteKey(key string) error {
	if key == "" || placeholder.In(key) {
		return nil
	}
	return site.ValidKey(key)
}

// ServeHTTP answers what is under the prefix and weaves what passes.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	q := requestOf(r)
	q.Key = h.keyOf(r)
	block, err := h.Serving()
	if err != nil { // it was made before
		h.logger.Error("making a site's settings anew failed", zap.Error(err))
		return next.ServeHTTP(w, r)
	}
	return block.Serve(w, r, q, func() bool { return h.tracks(r) }, next.ServeHTTP)
}

// statusOf is the status with which Caddy answers a request whose handler has returned the error.
func statusOf(err error) int {
	if of, ok := errors.AsType[caddyhttp.HandlerError](err); ok && of.StatusCode != 0 {
		return of.StatusCode
	}
	return http.StatusInternalServerError
}

// Cleanup lets go of what is compiled. Idle connections to origins keep a configuration that has been replaced for
// minutes, and with it its handlers.
func (h *Handler) Cleanup() error {
	h.block.Store(nil)
	return nil
}

// Serving is the block. A request that comes over a connection of a configuration that has been replaced may find that
// of others under way, or has it made anew.
func (h *Handler) Serving() (*edge.Block, error) {
	if block := h.block.Load(); block != nil {
		return block, nil
	}
	if block := h.left.Value(); block != nil {
		return block, nil
	}
	return h.app.edge.Add(h.Settings)
}

// tracks tells whether the request is for a page to be tracked.
func (h *Handler) tracks(r *http.Request) bool {
	matches, err := h.matchers.AnyMatchWithError(r)
	if err != nil {
		h.logger.Error("matching a page failed", zap.Error(err))
	}
	return matches && err == nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddy.CleanerUpper          = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
