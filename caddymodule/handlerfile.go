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
	pools, err := poolsOf(h)
	if err != nil {
		return nil, err
	}
	handler := &Handler{pooled: pools.pooled}
	handler.Declaration().UsePools(pools.named)
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
//		service               local | <url> [<tracker_url>]
//		dynamical_replacement on|off
//		messengers            on|off
//		supersede             on|off
//		phone_mask            <mask>
//		region                <country>
//		timezone              <name>
//		person_days           <days>
//		currency              <code>
//		consent               off | <cookie> [<value>]
//		respect               gpc|dnt...
//		origins               <origins...>
//		cookies               host|domain
//		number                <digits> {
//			target   <places...>
//			selector <css_selector>
//			template <text>
//			picture  <place> {
//				size  <pixels>
//				color <color>
//				font  <file>
//			}
//			static   <digits> [<conditions...>]
//			dynamic  <digits...> [<conditions...>]
//			dynamic  <pool> [<conditions...>]
//		}
//		capture               <path> {
//			form_name  <name>
//			name       <fields...>
//			phone      <fields...>
//			email      <fields...>
//			message    <fields...>
//			user_field <fields...>
//			kind       lead|visitor
//			on         contact|success|always
//			methods    <methods...>
//		}
//		callback              off
//		callback              {
//			phone     <digits>
//			captcha   on|off
//			countries <countries...>
//			per_day   <count>
//			repeat    <times> [<pause>]
//			caller_id <digits>
//			platform  webhook|sip|twilio
//		}
//		ignore_forms          on|off
//		credentials           <css_selector>
//		prerender             off|static|dynamic
//		attribution           first|last|last_non_direct
//		widget {
//			launcher  on|off
//			side      left|right
//			color     <color>
//			avatar    <address>
//			title     [<language>] <text>
//			greeting  [<language>] <text>
//			language  en|ru
//			field     <name> required|optional [<label>] {
//				label [<language>] <text>
//			}
//			text      <key> [<language>] <text>
//			chat      on|off
//			files     on|off
//			rating    on|off
//			sitephone on|off
//			unanswered <time>
//			mail_answers <time>|off
//			invite {
//				after   <time>
//				address <path>
//				source  <condition>
//				text    [<language>] <text>
//			}
//		}
//		quota                 {
//			visitor <size>
//			site    <size>
//		}
//		limits                {
//			views     <count>
//			leads     <count>
//			chats     <count>
//			streams   <count>
//			disk      <size>
//			mails     <count>
//			callbacks <count>
//		}
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
			return d.Errf("unexpected %q: expected at most a matcher, a site key and a block", d.Val())
		}
	}
	if h.pooled == nil { // it is read by itself
		h.pooled = make(pooled)
	}
	given := make(map[string][]*caddyfile.Dispenser)
	if err := h.readBlock(d, handlerBlock, given); err != nil {
		return err
	}
	h.TakeNumbers()
	if name, index, err := h.CheckTogether(); err != nil {
		line := given[name][index]
		line.Reset()
		line.Next()
		return line.Err(err.Error())
	}
	return nil
}

// readBlock reads the lines of a block, and notes them by their names.
func (h *Handler) readBlock(d *caddyfile.Dispenser, b block, given map[string][]*caddyfile.Dispenser) error {
	for d.NextBlock(0) {
		name := d.Val()
		known, ok := b.lines[name]
		if !ok {
			return d.Errf("unknown subdirective %q of %s: expected %s", name, b.of, b.expected)
		}
		if given[name] != nil && !known.many {
			return d.Errf("%s is given already: expected it once", name)
		}
		line := d.NewFromNextSegment()
		given[name] = append(given[name], line)
		line.Next()
		values := line.RemainingArgs()
		if known.block == nil && line.NextBlock(0) {
			return line.Errf("unexpected block: %s takes none", name)
		}
		if err := known.read(h, values); err != nil {
			return line.Err(err.Error())
		}
		if name == "font" {
			h.WrittenAt.Note(line, values[0])
		}
		if known.block != nil {
			if err := h.readBlock(line, *known.block, make(map[string][]*caddyfile.Dispenser)); err != nil {
				return err
			}
			if known.block.end != nil {
				if err := known.block.end(h); err != nil {
					return line.Err(err.Error())
				}
			}
		}
	}
	return nil
}

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*Handler)(nil)
	_ caddy.Module          = (*Handler)(nil)
)
