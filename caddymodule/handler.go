package caddymodule

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/snippet"
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

	// Where the service answers on the site: a path that begins and ends with a
	// slash, and that the site does not use itself. Default: `/frontdesk/`.
	Prefix string `json:"prefix,omitempty"`

	// The names of the two global objects of the browser interface. Default:
	// `["Svc", "SvcWidget"]`.
	Objects []string `json:"objects,omitempty"`

	// The variant of the browser interface, `A` or `B`. Default: `A`.
	Variant string `json:"variant,omitempty"`

	// Who serves the browser interface: `local`, this process, is the only
	// value and the default.
	Service string `json:"service,omitempty"`

	// Whether numbers are replaced in blocks that the page adds later too.
	DynamicalReplacement bool `json:"dynamical_replacement,omitempty"`

	// The mask of phone numbers in forms, with # for a digit, such as
	// `+7 (###) ###-##-##`. Its country is the one that visitors' numbers
	// without a country code are read as numbers of.
	PhoneMask string `json:"phone_mask,omitempty"`

	// The cookie without which nothing is set or stored. Default: nobody is
	// asked.
	Consent *Consent `json:"consent,omitempty"`

	// Further origins of the same site that may call the service, such as
	// `https://m.shop.example`.
	Origins []string `json:"origins,omitempty"`

	// The numbers that are printed on the site's pages.
	Numbers []Number `json:"numbers,omitempty"`

	// Which numbers are replaced before a page leaves the server: `off`, none, or
	// `static`, those with a tracking number for the visitor's source. Default:
	// `off`.
	Prerender string `json:"prerender,omitempty"`

	// Which of a visitor's visits decides about the numbers: `first`, `last` or
	// `last_non_direct`. Default: `last_non_direct`.
	Attribution number.Attribution `json:"attribution,omitempty"`

	app      *App
	logger   *zap.Logger
	matchers caddyhttp.MatcherSets
	script   *snippet.Script
	codes    *codes
	printed  *snippet.Printed
	known    knownSite
	hosts    func() map[string]struct{} // see App.hostsOf
	region   string
	numbers  numbers
	pictures pictures
	agreed   *regexp.Regexp // the value of the consent's cookie; nil for any
}

// Consent is how a site says that a visitor has agreed to be tracked.
type Consent struct {
	// The name of the cookie.
	Cookie string `json:"cookie"`

	// The value that means yes, with `*` for any text. Default: any value.
	Value string `json:"value,omitempty"`
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
	if err := h.check(); err != nil {
		return err
	}
	h.applyDefaults()
	app, err := ctx.App("frontdesk")
	if err != nil {
		return err
	}
	h.app = app.(*App)
	if len(h.MatcherSetsRaw) > 0 {
		matchers, err := ctx.LoadModule(h, "MatcherSetsRaw")
		if err != nil {
			return fmt.Errorf("loading matchers: %w", err)
		}
		if err := h.matchers.FromInterface(matchers); err != nil {
			return err
		}
	}
	if h.script, err = h.app.script(h.scriptSettings()); err != nil {
		return err
	}
	if h.printed, err = h.printedNumbers(); err != nil {
		return err
	}
	h.app.service.pictures.add(h.pictures)
	h.logDoubts()
	h.codes = newCodes(h.snippetSettings())
	if _, err := h.codes.of("example"); err != nil {
		return err
	}
	if value := snippet.ConsentExpression(h.Consent.Value); value != "" {
		if h.agreed, err = regexp.Compile(value); err != nil {
			return fmt.Errorf("consent value: %w", err)
		}
	}
	h.region = regionOfMask(h.PhoneMask)
	h.hosts = sync.OnceValue(func() map[string]struct{} { return h.app.hostsOf(h) })
	if h.namesOneSite() {
		h.app.provisionSite(h.SiteKey)
	}
	return nil
}

func (h *Handler) applyDefaults() {
	if h.SiteKey == "" {
		h.SiteKey = hostPlaceholder
	}
	if h.Prefix == "" {
		h.Prefix = "/frontdesk/"
	}
	if len(h.Objects) == 0 {
		h.Objects = []string{"Svc", "SvcWidget"}
	}
	if h.Variant == "" {
		h.Variant = "A"
	}
	if h.Consent == nil {
		h.Consent = new(Consent)
	}
	if h.Attribution == "" {
		h.Attribution = number.LastNonDirect
	}
}

func (h *Handler) scriptSettings() snippet.ScriptSettings {
	return snippet.ScriptSettings{
		Objects:       [2]string(h.Objects),
		Variant:       h.Variant,
		ConsentCookie: h.Consent.Cookie,
		ConsentValue:  h.Consent.Value,
	}
}

// ServeHTTP answers what is under the prefix and weaves what passes. Requests
// are recognised by their original address, since rewriting comes earlier.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if original, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request); ok {
		if route, ours := strings.CutPrefix(original.URL.Path, h.Prefix); ours {
			return h.serveRoute(w, r, original.URL, route, next)
		}
	}
	return h.servePage(w, r, next)
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
