package phone

import (
	"fmt"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// pair is a number and the number that replaces it.
type pair struct{ old, fresh string }

// replacing is a set and what is shown.
type replacing struct {
	*Set
	shown Shown
}

func compilePairs(pairs []pair) (*replacing, error) {
	r := new(replacing)
	var digits []string
	for _, p := range pairs {
		fresh, err := plan.Parse(p.fresh)
		if err != nil {
			return nil, fmt.Errorf("replacement %q: %w", p.fresh, err)
		}
		digits, r.shown = append(digits, p.old), append(r.shown, fresh)
	}
	set, err := Compile(digits)
	r.Set = set
	return r, err
}

func (r *replacing) NewMatcher(c *char.Charset) *Matcher {
	m := r.Set.NewMatcher(c)
	m.Show(r.shown)
	return m
}

func (r *replacing) script(i int) string { return string(r.AppendScript(nil, i, r.shown)) }
