// Package phone finds the writings of telephone numbers in text, and writes other digits in their place in the same
// way.
//
// The numbers to search are compiled into a [Set] once. A [Shown] holds the numbers that a reader sees instead. A
// [Matcher] of the set takes a page's text piece by piece, with a call for the markup between the pieces, and returns
// the places to change.
//
// The matcher knows a number by its digits. Each group of digits that spells a number is a candidate, be it with the
// country code, an international prefix, the trunk prefix or none. The text around the group decides whether it is the
// number or a part of something else. docs/numbers.md states the rules. testdata/vectors.json tests them, also for
// other languages.
package phone

import (
	"errors"
	"fmt"

	"github.com/seed-3405227d/frontdesk/snippet/phone/forms"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// Set is a compiled list of numbers to search. It is immutable and may be shared.
type Set struct {
	forms.Table
	numbers []*plan.Number
}

// Shown are the numbers that replace the numbers of a set; see [forms.Shown].
type Shown = forms.Shown

// ErrTwice is an error of [Compile].
var ErrTwice = errors.New("the number is given twice")

// Compile prepares the search for numbers, each in the form that [plan.Parse] takes. The error wraps [plan.ErrNotDigits],
// [plan.ErrNotNumber] or [ErrTwice].
func Compile(digits []string) (*Set, error) {
	s := new(Set)
	seen := make(map[string]bool, len(digits))
	for _, d := range digits {
		n, err := plan.Parse(d)
		if err != nil {
			return nil, fmt.Errorf("number %q: %w", d, err)
		}
		if seen[d] {
			return nil, fmt.Errorf("number %s: %w", d, ErrTwice)
		}
		seen[d] = true
		s.numbers = append(s.numbers, n)
	}
	s.Table = forms.New(s.numbers)
	return s, nil
}

// Len returns how many numbers the set holds.
func (s *Set) Len() int { return len(s.numbers) }

// Number returns the number with the index i, which is that of [Match.Number].
func (s *Set) Number(i int) *plan.Number { return s.numbers[i] }

// Itself returns a Shown in which each number of the set stands for itself: a matcher recognises all of them and
// changes none. The caller must not change it.
func (s *Set) Itself() Shown { return s.numbers }

// LeastInText returns how many digits the shortest writing in text has.
func (s *Set) LeastInText() int {
	least := plan.MaxDigits
	for i := range s.Entries {
		if e := &s.Entries[i]; !e.LinkOnly {
			least = min(least, len(e.Text()))
		}
	}
	return least
}
