package caddymodule

import (
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// shownNumbers are a handler's numbers as pages are to show them.
type shownNumbers struct {
	plan     *number.Plan
	declared []Number
	prefix   string
	drawn    map[drawing]string // the names of the pictures
}

// drawing is a picture of a tracking number in one place of the pages.
type drawing struct{ place, digits string }

// shownNumbers draws the pictures of all tracking numbers, so that what cannot be
// drawn is refused with the configuration.
func (h *Handler) shownNumbers() (*shownNumbers, error) {
	s := &shownNumbers{plan: &h.numbers.plan, declared: h.Numbers, prefix: h.Prefix, drawn: make(map[drawing]string)}
	h.pictures = make(pictures)
	for _, n := range h.Numbers {
		for _, p := range n.Pictures {
			renderer, err := p.renderer()
			if err != nil {
				return nil, err
			}
			for _, static := range n.Static {
				name, err := h.pictures.add(renderer, snippet.FormatNumber(static.Number))
				if err != nil {
					return nil, fmt.Errorf("picture %q of %s: %w", p.Place, static.Number, err)
				}
				s.drawn[drawing{p.Place, static.Number}] = name
			}
		}
	}
	return s, nil
}

// of are the numbers that the choice replaces.
func (s *shownNumbers) of(choice number.Choice) []snippet.Number {
	if choice == "" {
		return nil
	}
	var numbers []snippet.Number
	for i, digits := range s.plan.Shown(choice) {
		if digits == "" {
			continue
		}
		n := snippet.Number{Digits: s.declared[i].Number, Replacement: digits, Targets: s.declared[i].Targets, Selectors: s.declared[i].Selectors}
		for _, p := range s.declared[i].Pictures {
			n.Pictures = append(n.Pictures, snippet.Picture{
				Place: p.Place, URL: s.prefix + "phone/" + s.drawn[drawing{p.Place, digits}], Alt: snippet.FormatNumber(digits),
			})
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// ofEveryone is the choice for visitors of whom nothing is known.
func (s *shownNumbers) ofEveryone() number.Choice { return s.plan.Choose(visit.Source{}) }
