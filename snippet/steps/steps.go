// Package steps bounds the loops that walk over a page's bytes. A loop that makes no progress ends in a panic. The
// page's writer recovers it, and the page is sent as it came.
package steps

// perByte is how many steps a loop may take for each byte. A state machine takes up to four, as some of its states
// leave a byte to the next state, and a page is skimmed before it is read.
const perByte = 8

// Bound is how many steps are left, for one loop or for several loops over the same bytes.
type Bound int

// Over returns the bound for n bytes: eight steps for each, and 64 more.
func Over(n int) Bound { return Bound(perByte*n + 64) }

// Add adds the steps for n more bytes.
func (b *Bound) Add(n int) { *b += Over(n) }

// Take takes one step. It panics with [Exceeded] if none is left. loop names the loop: its package and function.
func (b *Bound) Take(loop string) {
	if *b--; *b < 0 {
		panic(Exceeded{loop})
	}
}

// Exceeded is the value of the panic.
type Exceeded struct {
	// Loop names the loop: its package and function.
	Loop string
}

func (e Exceeded) Error() string { return e.Loop + " took more steps than its bytes account for" }
