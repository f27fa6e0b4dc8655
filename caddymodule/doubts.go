package caddymodule

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
)

// Doubt is what is right by itself in a configuration, and hardly meant.
type Doubt struct {
	About string // one word for a list
	Site  string // as people name it
	Words string
}

// Doubts are those of the whole configuration, in the order in which it is written.
func (a *App) Doubts() (doubts []Doubt) {
	sites := make(map[string]bool) // by where their first handler stands
	consoles := make(map[string]bool)
	a.eachHandler(func(at spot, handler any) {
		if _, ok := handler.(*Console); ok {
			consoles[at.site()] = true
		}
	})
	a.eachHandler(func(at spot, handler any) {
		h, ok := handler.(*Handler)
		if !ok {
			return
		}
		tell := func(about, words string) { doubts = append(doubts, Doubt{about, h.nameFor(at.hosts), words}) }
		for _, words := range h.Doubts() {
			tell("numbers", words)
		}
		if at.hides(h.Prefix + "svc.js") {
			tell("routes", "the block around frontdesk keeps out requests under "+h.Prefix+": give the matcher to frontdesk itself, as in: frontdesk @pages")
		}
		if sites[at.site()] {
			tell("routes", "frontdesk is in one site twice: pages pass through both, and the first one answers under its prefix")
		}
		sites[at.site()] = true
		if consoles[at.site()] {
			tell("console", "frontdesk_console is in the same site, and answers everything that frontdesk does not: give the console a host of its own")
		}
		if !at.encoded {
			tell("compression", "no encode is in front of frontdesk: pages go out uncompressed, even if the origin could compress them")
		}
	})
	return doubts
}

// logDoubts warns of them once for the configuration.
func (a *App) logDoubts() {
	a.doubting.Do(func() {
		for _, doubt := range a.Doubts() {
			a.logger.Warn(doubt.Words, zap.String("about", doubt.About), zap.String("site", doubt.Site))
		}
	})
}

// nameFor names the handler for people: by its site, or the hosts in front of it.
func (h *Handler) nameFor(hosts []string) string {
	if h.namesOneSite() || len(hosts) == 0 {
		return h.SiteKey
	}
	return strings.Join(hosts, ", ")
}

// site is the same for handlers that the same requests come to.
func (at *spot) site() string {
	return at.server.Name() + " " + strings.Join(at.hosts, ",") + " " + at.choices
}

// hides tells whether no request for the path gets as far as this.
func (at *spot) hides(path string) bool {
	r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}}
	r = r.WithContext(context.WithValue(context.Background(), caddy.ReplacerCtxKey, caddy.NewReplacer()))
	for _, route := range at.within {
		open := len(route.MatcherSets) == 0
		for _, set := range route.MatcherSets {
			passes := true
			for _, matcher := range set {
				var paths caddyhttp.RequestMatcherWithError
				switch matcher := matcher.(type) {
				case *caddyhttp.MatchPath:
					paths = matcher
				case caddyhttp.MatchPath:
					paths = matcher
				default:
					continue // it depends on more than the path
				}
				matches, err := paths.MatchWithError(r)
				passes = passes && (matches || err != nil)
			}
			open = open || passes
		}
		if !open {
			return true
		}
	}
	return false
}
