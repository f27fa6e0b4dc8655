package page

import "sync/atomic"

// maxHeld is how many bytes of pages all requests of the process may hold back together, with the trees that are
// made of them. Go lets the heap grow to twice of what is in use and more while it collects: docs/benchmarks.md has
// what a thousand unread pages came to.
const maxHeld = 16 << 20

// heldPages is the budget of the process.
var heldPages = newBudget(maxHeld)

// budget bounds what all requests hold together. It is safe for concurrent use.
type budget struct{ left atomic.Int64 }

func newBudget(bytes int64) *budget {
	b := new(budget)
	b.left.Store(bytes)
	return b
}

// share is what one request has taken of a budget.
type share struct {
	budget *budget
	taken  int
}

// shareStep is how much is taken at once.
const shareStep = 16 << 10

// reach takes what is missing up to n bytes, and says whether there was as much.
func (s *share) reach(n int) bool {
	if n <= s.taken {
		return true
	}
	more := (n - s.taken + shareStep - 1) / shareStep * shareStep
	if s.budget.left.Add(int64(-more)) < 0 {
		s.budget.left.Add(int64(more))
		return false
	}
	s.taken += more
	return true
}

// shrink gives back what is more than n bytes.
func (s *share) shrink(n int) {
	if n < s.taken {
		s.budget.left.Add(int64(s.taken - n))
		s.taken = n
	}
}

// free gives everything back.
func (s *share) free() { s.shrink(0) }
