// Package budget bounds what all requests of the process hold of their pages together.
package budget

import "sync/atomic"

// MaxHeld is how many bytes of pages all requests of the process may hold back together, with the trees that are
// made of them. Go lets the heap grow to twice of what is in use and more while it collects: docs/benchmarks.md has
// what a thousand unread pages came to.
const MaxHeld = 16 << 20

// Held is the budget of pages that are held back.
var Held = newBudget(MaxHeld)

// MaxGathered is how many bytes of pages all requests of the process may gather together before they send them.
// Pages above it go out in small pieces. It is apart from what may be held: clients that do not read keep
// what was gathered for them, and must not keep others' pages from being woven.
const MaxGathered = 16 << 20

// Gathered is the budget of pages that are gathered before they are sent.
var Gathered = newBudget(MaxGathered)

// Budget bounds what all requests hold together. It is safe for concurrent use.
type Budget struct{ left atomic.Int64 }

func newBudget(bytes int64) *Budget {
	b := new(Budget)
	b.left.Store(bytes)
	return b
}

// Share is what one request has taken of a budget.
type Share struct {
	Of    *Budget
	taken int
}

// shareStep is how much is taken at once.
const shareStep = 16 << 10

// Reach takes what is missing up to n bytes, and says whether there was as much.
func (s *Share) Reach(n int) bool {
	if n <= s.taken {
		return true
	}
	more := (n - s.taken + shareStep - 1) / shareStep * shareStep
	if s.Of.left.Add(int64(-more)) < 0 {
		s.Of.left.Add(int64(more))
		return false
	}
	s.taken += more
	return true
}

// Shrink gives back what is more than n bytes.
func (s *Share) Shrink(n int) {
	if n < s.taken {
		s.Of.left.Add(int64(s.taken - n))
		s.taken = n
	}
}

// Free gives everything back.
func (s *Share) Free() { s.Shrink(0) }
