// Package phone knows the writings of a telephone number. It finds configured
// numbers in text, whatever their writing, and pours other digits into the very
// writing that was there.
//
// Numbers are compiled into a [Set] once. A [Matcher] of the set is then pushed a
// page's text, piece by piece, with a word about the markup that stands between
// the pieces, and answers with the places to change. A match is known by its
// digits: every group of digits that spells a configured number, with its country
// code, with an international prefix, with its trunk prefix or with neither, is a
// candidate, and what stands around it decides whether it is that number or a part
// of something else. The rules are written down in docs/numbers.md and held by
// testdata/vectors.json, which is written for other languages too.
package phone

import (
	"errors"
	"fmt"
)

// Number is a number that is printed on the pages, and the one to show in its
// place. Both are digits in international form: country code and national
// significant number, with no "+" and nothing between.
type Number struct {
	Digits      string
	Replacement string
}

// Set is a compiled list of numbers. It is immutable and may be shared.
type Set struct {
	table
	numbers []Number
}

// Reasons to refuse a number. They are wrapped with the number and more words.
var (
	ErrNotDigits = errors.New("a number is written as digits in international form, like 74951234567")
	ErrNotNumber = errors.New("not a complete international number: country code and national number are needed, and short numbers cannot be told from other figures")
	ErrTwice     = errors.New("the number is given twice")
)

// Compile prepares a list of numbers. A number whose replacement is itself is
// recognised and left as it is, which keeps it from being taken for another one.
//
// Short numbers (112, 0530) have no international form and are refused with
// [ErrNotNumber], as searched numbers and as replacements.
func Compile(numbers []Number) (*Set, error) {
	s := &Set{numbers: append([]Number(nil), numbers...)}
	seen := make(map[string]bool, len(numbers))
	var entries []entry
	for i, n := range numbers {
		old, err := parse(n.Digits)
		if err != nil {
			return nil, fmt.Errorf("number %q: %w", n.Digits, err)
		}
		replacement, err := parse(n.Replacement)
		if err != nil {
			return nil, fmt.Errorf("replacement %q of number %s: %w", n.Replacement, n.Digits, err)
		}
		if seen[n.Digits] {
			return nil, fmt.Errorf("number %s: %w", n.Digits, ErrTwice)
		}
		seen[n.Digits] = true
		for _, f := range old.forms {
			entries = append(entries, newEntry(i, f, old, replacement))
		}
	}
	s.table = newTable(entries)
	return s, nil
}

// Len is how many numbers the set holds.
func (s *Set) Len() int { return len(s.numbers) }

// Number gives a number by the index that matches carry.
func (s *Set) Number(i int) Number { return s.numbers[i] }

// Least is how many digits the shortest writing in text has.
func (s *Set) Least() int {
	least := maxDigits
	for i := range s.entries {
		if e := &s.entries[i]; !e.linkOnly {
			least = min(least, int(e.size))
		}
	}
	return least
}
