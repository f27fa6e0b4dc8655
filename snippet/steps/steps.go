// Package steps bounds the loops that walk over a page's bytes. A loop that has come to stand
// still ends in a panic, which the page's writer recovers; the page then goes out as it came.
package steps

// perByte is how many steps there are for each byte. A state machine takes up to four, as
// some of its states leave a byte to the next, and a page is skimmed before it is read.
const perByte = 8

// Bound is how many steps are left, for one loop or for all those over the same bytes.
type Bound int

// Over gives the bound for n bytes: eight steps for each, and some for what stands around them.
func Over(n int) Bound { return Bound(perByte*n + 64) }

// Add allows for n more bytes.
func (b *Bound) Add(n int) { *b += Over(n) }

// Take takes one step of the loop that has this name, and panics with [Exceeded] where none is left.
func (b *Bound) Take(loop string) {
	if *b--; *b < 0 {
		panic(Exceeded{loop})
	}
}

// Exceeded is the value of the panic: a loop took more steps than its bytes account for.
type Exceeded struct {
	// Loop names the loop: its package and function.
	Loop string
}

func (e Exceeded) Error() string { return e.Loop + " took more steps than its bytes account for" }
