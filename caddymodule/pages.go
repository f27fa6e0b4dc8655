package caddymodule

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// Reasons for which a page passes before it is looked at. They stand beside the
// outcomes of package snippet.
const (
	notReady    = "not_ready"    // the service has not opened its database yet, or its file is lost
	unknownSite = "unknown_site" // the key is none of a known site
	lookup      = "lookup"       // whether it is could not be told in time
	panicked    = "panic"
)

// snippetSettings are what the insertion code of all the handler's sites says.
func (h *Handler) snippetSettings() snippet.Settings {
	settings := snippet.Settings{Prefix: h.Prefix, PhoneMask: h.PhoneMask}
	if h.DynamicalReplacement {
		settings.DynamicalReplacement = &h.DynamicalReplacement
	}
	return settings
}

// servePage passes a request on and weaves the insertion code and the numbers into
// what comes back, unless something speaks against it.
func (h *Handler) servePage(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	code, visit, reason := h.codeFor(r)
	if code == nil {
		if reason != "" {
			pagesPassed.WithLabelValues(reason).Inc()
		}
		return next.ServeHTTP(w, r)
	}
	result, err := code.Serve(w, r, visit, next.ServeHTTP)
	if result.Outcome == snippet.Woven {
		pagesWoven.Inc()
	} else {
		pagesPassed.WithLabelValues(string(result.Outcome)).Inc()
	}
	if result.Numbers {
		pagesNumbered.Inc()
	}
	if result.Unselected {
		pagesUnselected.Inc()
	}
	if result.Crowded {
		pagesCrowded.Inc()
	}
	if f := result.Fault; f != nil {
		h.app.fault(f.Place, f.Cause, f.Stack)
	}
	pageTime.Observe(result.Spent.Seconds())
	return err
}

// codeFor is the insertion code for the page that is asked for, with what its visitor
// is shown, or the reason why the page passes without. The reason is empty when the
// configuration wants that.
func (h *Handler) codeFor(r *http.Request) (code *snippet.Code, visit snippet.Visit, reason string) {
	defer func() {
		if cause := recover(); cause != nil {
			h.app.fault("before a page", cause, debug.Stack())
			code, reason = nil, panicked
		}
	}()
	if matches, err := h.matchers.AnyMatchWithError(r); err != nil || !matches {
		if err != nil {
			h.logger.Error("matching a page failed", zap.Error(err))
		}
		return nil, visit, ""
	}
	if !h.app.service.Ready() {
		return nil, visit, notReady
	}
	key := h.SiteKey
	if !h.namesOneSite() {
		found, err := h.findSite(r)
		switch {
		case errors.Is(err, site.ErrUnknown):
			return nil, visit, unknownSite
		case err != nil:
			if !errors.Is(err, context.Canceled) {
				h.logger.Debug("looking up a site failed", zap.Error(err))
			}
			return nil, visit, lookup
		}
		key = found.Key
	}
	code, err := h.codes.of(key)
	if err != nil {
		h.logger.Error("making the insertion code failed", zap.String("site", key), zap.Error(err))
		return nil, visit, string(snippet.Failed)
	}
	visit = h.visitOf(r)
	visit.Sample = h.app.learner.sampler(h, key, r)
	return code, visit, ""
}
