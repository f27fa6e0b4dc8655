package effect

import (
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/picture"
)

// numbers are the compiled numbers of a site. All sites of a block without numbers of their own share the block's.
// numbers are immutable but for a cache, and safe for concurrent use.
type numbers struct {
	plan       *number.Plan
	printed    *snippet.Printed
	drawings   drawings
	many       int    // how many numbers are printed on the pages
	region     string // of the first number; may be empty
	messengers bool   // links that write to a number change, too
	shown      *lru.Cache[number.Choice, snippet.Shown]
}

// compileNumbers compiles the numbers. It draws the pictures of all tracking numbers, so that it can refuse those that
// cannot be drawn.
func (b *Effects) compileNumbers(d *number.Declaration, messengers bool) (*numbers, error) {
	made := &numbers{plan: d.Plan(), drawings: make(drawings), many: len(d.Numbers()), region: d.Region(), messengers: messengers}
	made.shown, _ = lru.New[number.Choice, snippet.Shown](maxShown) // the size is positive
	var printed []snippet.Number
	for _, declared := range d.Numbers() {
		n := snippet.Number{Digits: declared.Number, Targets: declared.Targets, Selectors: declared.Selectors, Template: declared.Template}
		var renderers []*picture.Renderer
		for _, p := range declared.Pictures {
			renderer, err := p.Renderer()
			if err != nil {
				return nil, err
			}
			renderers = append(renderers, renderer)
			n.Pictures = append(n.Pictures, p.Place)
		}
		for _, digits := range d.TrackingOf(declared) {
			tracking := snippet.Tracking{Digits: digits}
			for i, renderer := range renderers {
				text, err := snippet.WriteNumber(digits, declared.Template)
				if err != nil {
					return nil, fmt.Errorf("template %q of number %s: %w", declared.Template, declared.Number, err)
				}
				name, err := made.drawings.add(renderer, text)
				if err != nil {
					return nil, fmt.Errorf("picture %q of %s: %w", n.Pictures[i], digits, err)
				}
				tracking.Pictures = append(tracking.Pictures, b.Settings.Prefix+"phone/"+name)
			}
			n.Tracking = append(n.Tracking, tracking)
		}
		printed = append(printed, n)
	}
	for name, content := range made.drawings {
		made.drawings[name] = b.Pictures.shared(name, content)
	}
	var err error
	made.printed, err = snippet.NewPrinted(printed, messengers)
	return made, err
}

// numbersOf returns the numbers of the site: its own, or else the block's. If its own do not go with those of the
// configuration, the site's pages use the block's.
func (b *Effects) numbersOf(s site.Site) *numbers {
	own, messengers, declared := s.Settings.Own(), b.Settings.Messengers, b.Settings.Declaration()
	if s.Settings.Messengers != nil {
		messengers = *s.Settings.Messengers
	}
	if own.IsNone() && messengers == b.numbers.messengers {
		return b.numbers
	}
	var err error
	if !own.IsNone() {
		declared, err = own.Over(declared, s.ID, b.Pools())
	}
	var made *numbers
	if err == nil {
		made, err = b.compileNumbers(declared, messengers)
	}
	if err != nil {
		b.Logger.Warn("the own numbers of a site cannot stand beside the configured ones: only these are used",
			zap.String("site", s.Key), zap.Int64("version", s.Version), zap.Error(err))
		return b.numbers
	}
	b.Pictures.add(made.drawings)
	return made
}

// maxShown is how many choices are kept for each set of numbers. A configuration has a few, and each takes about 3 KB.
const maxShown = 256

// show returns the numbers that the visitors of a choice see.
func (n *numbers) show(choice number.Choice) snippet.Shown {
	if choice == "" {
		return snippet.Shown{}
	}
	shown, ready := n.shown.Get(choice)
	if !ready {
		audience := snippet.ForSource
		if choice == n.plan.Choose(source.Source{}) {
			audience = snippet.ForEveryone
		}
		shown = n.printed.Show(n.plan.Shown(choice), audience)
		n.shown.Add(choice, shown)
	}
	return shown
}
