package caddymodule

import (
	"fmt"
	"strings"

	"go.uber.org/zap"
)

// doubts are what is right by itself and hardly meant.
func (h *Handler) doubts() (doubts []string) {
	if h.Prerender != "static" && h.numbers.plan.HasStatic() {
		doubts = append(doubts, `no number is replaced, since prerender is off: "prerender static" shows the tracking numbers`)
	}
	for _, n := range h.Numbers {
		for _, static := range n.Static {
			if here, there := countryCode(n.Number), countryCode(static.Number); here != there {
				return append(doubts, fmt.Sprintf("static %s has the country code %d, and the number for which it stands, %s, has %d", static.Number, there, n.Number, here))
			}
		}
	}
	return doubts
}

// nameFor names the handler for people: by its site, or the hosts in front of it.
func (h *Handler) nameFor(hosts []string) string {
	if h.namesOneSite() || len(hosts) == 0 {
		return h.SiteKey
	}
	return strings.Join(hosts, ", ")
}

func (h *Handler) logDoubts() {
	for _, doubt := range h.doubts() {
		h.logger.Warn(doubt, zap.String("site", h.SiteKey))
	}
}
