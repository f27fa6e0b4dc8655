package caddymodule

import (
	"strings"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/caddymodule/spot"
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
	a.eachHandler(func(at spot.Spot, handler any) {
		if _, ok := handler.(*Console); ok {
			consoles[at.Site()] = true
		}
	})
	a.eachHandler(func(at spot.Spot, handler any) {
		h, ok := handler.(*Handler)
		if !ok {
			return
		}
		tell := func(about, words string) { doubts = append(doubts, Doubt{about, h.nameFor(at.Hosts), words}) }
		for _, words := range h.Doubts() {
			tell("numbers", words)
		}
		if at.Hides(h.Prefix + "svc.js") {
			tell("routes", "the block around frontdesk keeps out requests under "+h.Prefix+": give the matcher to frontdesk itself, as in: frontdesk @pages")
		}
		if sites[at.Site()] {
			tell("routes", "frontdesk is in one site twice: pages pass through both, and the first one answers under its prefix")
		}
		sites[at.Site()] = true
		if consoles[at.Site()] {
			tell("console", "frontdesk_console is in the same site, and answers everything that frontdesk does not: give the console a host of its own")
		}
		if !at.Encoded {
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
