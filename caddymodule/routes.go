package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// serveRoute answers a request under the prefix. On a host that is none of the
// known sites there is no service, and the request is the origin's.
func (h *Handler) serveRoute(w http.ResponseWriter, r *http.Request, original *url.URL, route string, next caddyhttp.Handler) error {
	found, err := h.findSite(r)
	if errors.Is(err, site.ErrUnknown) {
		return next.ServeHTTP(w, r)
	}
	defer h.recoverRoute(w)
	// These need no database.
	folder, name, within := strings.Cut(route, "/")
	switch {
	case route == "svc.js":
		h.script.ServeHTTP(w, r)
		return nil
	case within && folder == "assets":
		snippet.Assets().ServeHTTP(w, asSent(r, original))
		return nil
	case within && folder == "phone":
		h.pictures.serve(w, r, name, &h.app.service.pictures)
		return nil
	}
	if err != nil {
		unavailable(w)
		return nil
	}
	desk, done, err := h.app.service.Use()
	if err != nil {
		unavailable(w)
		return nil
	}
	defer done()
	settings := api.Site{
		ID:            found.ID,
		Key:           found.Key,
		Variant:       h.Variant,
		Prefix:        h.Prefix,
		Origins:       h.Origins,
		ConsentCookie: h.Consent.Cookie,
		ConsentValue:  snippet.ConsentExpression(h.Consent.Value),
		Region:        h.region,
	}
	sent := asSent(r, original)
	if isSecure(r) {
		address := *sent.URL
		address.Scheme = "https"
		sent.URL = &address
	}
	desk.API.Serve(w, sent, settings)
	return nil
}

// recoverRoute answers for a route that has panicked. An abort stays one.
func (h *Handler) recoverRoute(w http.ResponseWriter) {
	switch cause := recover(); cause {
	case nil:
	case http.ErrAbortHandler:
		panic(cause)
	default:
		h.app.fault("answering", cause, debug.Stack())
		fail(w, http.StatusInternalServerError, "internal_error", "something went wrong here; the call may be repeated")
	}
}

// asSent is the request with the address that the client asked for and with the
// client's own address, as the server's trusted proxies tell it.
func asSent(r *http.Request, original *url.URL) *http.Request {
	sent := *r
	sent.URL = original
	if client, ok := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string); ok && client != "" {
		sent.RemoteAddr = net.JoinHostPort(client, "0")
	}
	return &sent
}

func unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "5")
	fail(w, http.StatusServiceUnavailable, "unavailable", "the service cannot reach its database at the moment; repeat the call later")
}

// fail answers in the form that all of the service's failures have.
func fail(w http.ResponseWriter, status int, code, words string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
		Code    string `json:"code"`
	}{Error: words, Code: code})
}

// endingWith is the request, ended no later than the configuration: so that a
// stream does not outlive it, and its browser opens it anew on the next one.
func endingWith(r *http.Request, ending context.Context) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(ending, cancel)
	return r.WithContext(ctx), func() { stop(); cancel() }
}
