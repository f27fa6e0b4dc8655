package snippet

import "sync/atomic"

// maxHeld is how many bytes of pages all requests of the process may hold back together.
const maxHeld = 64 << 20

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

// free gives everything back.
func (s *share) free() {
	if s.taken > 0 {
		s.budget.left.Add(int64(s.taken))
		s.taken = 0
	}
}
