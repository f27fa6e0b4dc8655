package caddymodule

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"sync"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// Reasons for which a page passes before it is looked at. They stand beside the
// outcomes of package snippet.
const (
	notReady    = "not_ready"    // the service has not opened its database yet
	unknownSite = "unknown_site" // the key is none of a known site
	lookup      = "lookup"       // whether it is could not be told in time
	panicked    = "panic"
)

// maxCodes is how many sites' insertion code a handler keeps at hand.
const maxCodes = 4096

// codes are the insertion codes of a handler's sites by their keys.
type codes struct {
	settings snippet.Settings // without the key

	mu    sync.RWMutex
	byKey map[string]*snippet.Code
}

func newCodes(settings snippet.Settings) *codes {
	return &codes{settings: settings, byKey: make(map[string]*snippet.Code)}
}

// of is the code for the key.
func (c *codes) of(key string) (*snippet.Code, error) {
	c.mu.RLock()
	code := c.byKey[key]
	c.mu.RUnlock()
	if code != nil {
		return code, nil
	}
	settings := c.settings
	settings.SiteKey = key
	code, err := snippet.New(settings)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byKey) >= maxCodes {
		clear(c.byKey)
	}
	c.byKey[key] = code
	return code, nil
}

// snippetSettings are what the insertion code of all the handler's sites says.
func (h *Handler) snippetSettings() snippet.Settings {
	settings := snippet.Settings{Prefix: h.Prefix, PhoneMask: h.PhoneMask}
	if h.DynamicalReplacement {
		settings.DynamicalReplacement = &h.DynamicalReplacement
	}
	return settings
}

// servePage passes a request on and weaves the insertion code into what comes
// back, unless something speaks against it.
func (h *Handler) servePage(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	code, reason := h.codeFor(r)
	if code == nil {
		if reason != "" {
			pagesPassed.WithLabelValues(reason).Inc()
		}
		return next.ServeHTTP(w, r)
	}
	result, err := code.Serve(w, r, snippet.Visit{}, next.ServeHTTP)
	if result.Outcome == snippet.Woven {
		pagesWoven.Inc()
	} else {
		pagesPassed.WithLabelValues(string(result.Outcome)).Inc()
	}
	pageTime.Observe(result.Spent.Seconds())
	return err
}

// codeFor is the insertion code for the page that is asked for, or the reason
// why it passes without. The reason is empty when the configuration wants that.
func (h *Handler) codeFor(r *http.Request) (code *snippet.Code, reason string) {
	defer func() {
		if cause := recover(); cause != nil {
			h.logger.Error("panic before a page", zap.Any("cause", cause), zap.ByteString("stack", debug.Stack()))
			code, reason = nil, panicked
		}
	}()
	if matches, err := h.matchers.AnyMatchWithError(r); err != nil || !matches {
		if err != nil {
			h.logger.Error("matching a page failed", zap.Error(err))
		}
		return nil, ""
	}
	if !h.app.service.Ready() {
		return nil, notReady
	}
	key := h.SiteKey
	if !h.namesOneSite() {
		found, err := h.findSite(r)
		switch {
		case errors.Is(err, site.ErrUnknown):
			return nil, unknownSite
		case err != nil:
			if !errors.Is(err, context.Canceled) {
				h.logger.Debug("looking up a site failed", zap.Error(err))
			}
			return nil, lookup
		}
		key = found.Key
	}
	code, err := h.codes.of(key)
	if err != nil {
		h.logger.Error("making the insertion code failed", zap.String("site", key), zap.Error(err))
		return nil, string(snippet.Failed)
	}
	return code, ""
}
