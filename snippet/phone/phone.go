// Package phone knows the writings of a telephone number. It finds numbers in text,
// whatever their writing, and pours other digits into the very writing that was
// there.
//
// What is searched is compiled into a [Set] once. What a reader is shown instead is
// a [Shown]: a small value that meets a writing only when this is written out. A
// [Matcher] of the set is pushed a page's text, piece by piece, with a word about
// the markup that stands between the pieces, and answers with the places to change.
// A match is known by its digits: every group of digits that spells a number, with
// its country code, with an international prefix, with its trunk prefix or with
// neither, is a candidate, and what stands around it decides whether it is that
// number or a part of something else. The rules are written down in docs/numbers.md
// and held by testdata/vectors.json, which is written for other languages too.
package phone

import (
	"errors"
	"fmt"
)

// Set is a compiled list of numbers that are searched. It is immutable and may be
// shared.
type Set struct {
	table
	numbers []*Number
}

// Shown are the numbers that are shown in the places of a set's, in the set's order.
// A number for which there is none, nil, is not looked for. One that stands for
// itself is recognised and left as it is, which keeps it from being taken for
// another one.
type Shown []*Number

// of is what number i is replaced by, or nil.
func (s Shown) of(i int32) *Number {
	if int(i) < len(s) {
		return s[i]
	}
	return nil
}

// Reasons to refuse a number. They are wrapped with the number and more words.
var (
	ErrNotDigits = errors.New("a number is written as digits in international form, like 74951234567")
	ErrNotNumber = errors.New("not a complete international number: country code and national number are needed, and short numbers cannot be told from other figures")
	ErrTwice     = errors.New("the number is given twice")
)

// Compile prepares the search for numbers, given as [Parse] takes them.
func Compile(digits []string) (*Set, error) {
	s := new(Set)
	seen := make(map[string]bool, len(digits))
	var entries []entry
	for i, d := range digits {
		n, err := Parse(d)
		if err != nil {
			return nil, fmt.Errorf("number %q: %w", d, err)
		}
		if seen[d] {
			return nil, fmt.Errorf("number %s: %w", d, ErrTwice)
		}
		seen[d] = true
		s.numbers = append(s.numbers, n)
		for k := range n.forms {
			entries = append(entries, newEntry(i, &n.forms[k]))
		}
	}
	s.table = newTable(entries)
	return s, nil
}

// Len is how many numbers the set holds.
func (s *Set) Len() int { return len(s.numbers) }

// Number gives a number by the index that matches carry.
func (s *Set) Number(i int) *Number { return s.numbers[i] }

// Itself shows each number of the set in its own place: all are recognised, and none
// is changed. It must not be changed.
func (s *Set) Itself() Shown { return s.numbers }

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
