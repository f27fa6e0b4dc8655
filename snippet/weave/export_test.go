package weave

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// ReadAll makes the replacer read every byte and skim none.
func (z *Replacer) ReadAll() { z.scanner.Skim = nil }

// ShapeOf returns a text that is the same for two pages that differ in digits only.
var ShapeOf = shapeOf

// Pair is a number with its places, and the number that is shown there.
type Pair struct {
	Old, Fresh string
	Number
	URL      string // of all its pictures
	Template string
}

// PairRules are rules with the numbers that are shown.
type PairRules struct {
	*Rules
	Shown Shown
}

// PairReplacer is a replacer that shows the same numbers on all pages.
type PairReplacer struct {
	*Replacer
	shown Shown
}

// CompilePairs makes rules of pairs.
func CompilePairs(t testing.TB, pairs ...Pair) *PairRules {
	var digits []string
	var numbers []Number
	var shown Shown
	for _, p := range pairs {
		fresh, err := plan.Parse(p.Fresh)
		require.NoError(t, err)
		fresh, err = fresh.By(p.Template)
		require.NoError(t, err)
		tracking := &Tracking{Number: fresh}
		for range p.Pictures {
			tracking.Pictures = append(tracking.Pictures, p.URL)
		}
		digits, numbers, shown = append(digits, p.Old), append(numbers, p.Number), append(shown, tracking)
	}
	set, err := phone.Compile(digits)
	require.NoError(t, err)
	rules, err := Compile(set, numbers, true)
	require.NoError(t, err)
	return &PairRules{rules, shown}
}

// NewReplacer returns a replacer that shows the pairs.
func (r *PairRules) NewReplacer() *PairReplacer {
	return &PairReplacer{r.Rules.NewReplacer(), r.Shown}
}

// Reset makes the replacer ready for a page.
func (z *PairReplacer) Reset(c *char.Charset) { z.Replacer.Reset(c, z.shown) }
