package lease

import "github.com/seed-3405227d/frontdesk/backend/number"

// Lost returns the share of visitors who find all numbers of a pool taken, by Erlang's formula B. traffic is how many
// numbers would be taken on average if there were enough: the visitors of an hour times the hours for which each has a
// number.
func Lost(traffic float64, numbers int) float64 {
	lost := 1.0
	for n := 1; n <= numbers; n++ {
		lost = traffic * lost / (float64(n) + traffic*lost)
	}
	return lost
}

// Needed returns how many numbers a pool needs so that at most the given share of visitors find all taken. It returns
// [number.MaxPool] if that is not enough.
func Needed(traffic, share float64) int {
	lost := 1.0
	for n := 1; n < number.MaxPool; n++ {
		if lost = traffic * lost / (float64(n) + traffic*lost); lost <= share {
			return n
		}
	}
	return number.MaxPool
}
