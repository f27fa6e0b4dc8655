package caddymodule

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() {
	// A plain directive, not a handler directive: the matcher of that kind would
	// stand before the handler and hide the routes under the prefix.
	httpcaddyfile.RegisterDirective("frontdesk", parseHandler)
	// Nearer to the origin than encode, which compresses what was woven.
	httpcaddyfile.RegisterDirectiveOrder("frontdesk", httpcaddyfile.After, "encode")
}

func parseHandler(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	h.Next() // the directive's name
	matcher, err := h.ExtractMatcherSet()
	if err != nil {
		return nil, err
	}
	handler := new(Handler)
	if err := handler.UnmarshalCaddyfile(h.Dispenser); err != nil {
		return nil, err
	}
	if matcher != nil {
		handler.MatcherSetsRaw = caddyhttp.RawMatcherSets{matcher}
	}
	return h.NewRoute(nil, handler), nil
}

// UnmarshalCaddyfile sets up the handler from Caddyfile tokens:
//
//	frontdesk [<matcher>] [<site_key>] {
//		prefix                <path>
//		objects               <name> <name>
//		variant               A|B
//		service               local
//		dynamical_replacement on|off
//		phone_mask            <mask>
//		consent               off | <cookie> [<value>]
//		origins               <origins...>
//	}
//
// The matcher chooses the pages; it is no part of these tokens.
func (h *Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if d.NextArg() {
		h.SiteKey = d.Val()
		if err := checkSiteKey(h.SiteKey); err != nil {
			return d.Err(err.Error())
		}
		if d.NextArg() {
			return d.Errf("unexpected %q: expected a matcher, the site key and a block at most", d.Val())
		}
	}
	seen := make(map[string]bool)
	for d.NextBlock(0) {
		name := d.Val()
		if seen[name] && name != "origins" {
			return d.Errf("%s is given already: expected it once", name)
		}
		seen[name] = true
		parse, known := subdirectives[name]
		if !known {
			return d.Errf("unknown subdirective %q of frontdesk: expected prefix, objects, variant, service, dynamical_replacement, phone_mask, consent or origins", name)
		}
		line := d.NewFromNextSegment()
		line.Next()
		values := line.RemainingArgs()
		if line.NextBlock(0) {
			return line.Errf("unexpected block: %s takes none", name)
		}
		if err := parse(h, values); err != nil {
			return line.Err(err.Error())
		}
	}
	return nil
}

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*Handler)(nil)
	_ caddy.Module          = (*Handler)(nil)
)
