package caddymodule

import (
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/picture"
)

// printedNumbers compiles the handler's numbers, and draws the pictures of all tracking
// numbers, so that what cannot be drawn is refused with the configuration.
func (h *Handler) printedNumbers() (*snippet.Printed, error) {
	h.pictures = make(pictures)
	var numbers []snippet.Number
	for _, declared := range h.Numbers {
		n := snippet.Number{Digits: declared.Number, Targets: declared.Targets, Selectors: declared.Selectors}
		var renderers []*picture.Renderer
		for _, p := range declared.Pictures {
			renderer, err := p.renderer()
			if err != nil {
				return nil, err
			}
			renderers = append(renderers, renderer)
			n.Pictures = append(n.Pictures, p.Place)
		}
		for _, static := range declared.Static {
			tracking := snippet.Tracking{Digits: static.Number}
			for i, renderer := range renderers {
				name, err := h.pictures.add(renderer, snippet.FormatNumber(static.Number))
				if err != nil {
					return nil, fmt.Errorf("picture %q of %s: %w", n.Pictures[i], static.Number, err)
				}
				tracking.Pictures = append(tracking.Pictures, h.Prefix+"phone/"+name)
			}
			n.Tracking = append(n.Tracking, tracking)
		}
		numbers = append(numbers, n)
	}
	return snippet.NewPrinted(numbers)
}

// shown is what the visitors of a choice see.
func (h *Handler) shown(choice number.Choice) snippet.Shown {
	if choice == "" {
		return snippet.Shown{}
	}
	plan, audience := &h.numbers.plan, snippet.ForSource
	if choice == plan.Choose(visit.Source{}) {
		audience = snippet.ForEveryone
	}
	return h.printed.Show(plan.Shown(choice), audience)
}
