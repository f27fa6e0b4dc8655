package db

import (
	"context"
	"maps"
	"slices"
)

// Counter sums up what the writes of a group count, and stores each sum once, at the end of the group's transaction: a
// count that a thousand writes change costs the group one statement. What a refused write has counted is not counted,
// and a group that is written again counts anew.
type Counter[K comparable, V any] struct {
	compare func(a, b K) int
	store   func(ctx context.Context, tx Tx, key K, sum V) error
}

// NewCounter returns a counter of sums by key. Sums are stored in the order of their keys, so that groups of two nodes
// wait for each other in one direction only; rows that every group changes are best split by [Tx.Lane].
func NewCounter[K comparable, V any](compare func(a, b K) int, store func(ctx context.Context, tx Tx, key K, sum V) error) *Counter[K, V] {
	return &Counter[K, V]{compare, store}
}

// Add has the sum of the key changed when the write's group ends.
func (c *Counter[K, V]) Add(tx Tx, key K, change func(sum *V)) {
	tx.notes.counts = append(tx.notes.counts, count{c, func(sums any) any {
		of, _ := sums.(map[K]*V)
		if of == nil {
			of = make(map[K]*V)
		}
		if of[key] == nil {
			of[key] = new(V)
		}
		change(of[key])
		return of
	}})
}

func (c *Counter[K, V]) storeAll(ctx context.Context, tx Tx, sums any) error {
	of := sums.(map[K]*V)
	for _, key := range slices.SortedFunc(maps.Keys(of), c.compare) {
		if err := c.store(ctx, tx, key, *of[key]); err != nil {
			return err
		}
	}
	return nil
}

// count is one change of a sum.
type count struct {
	counter interface {
		storeAll(ctx context.Context, tx Tx, sums any) error
	}
	addTo func(sums any) any
}

// notes are what the writes of a group leave for its end.
type notes struct {
	topics []string
	counts []count
	locked []int64 // see [Tx.Lock]
}

// storeCounts stores what has been counted, one counter after another.
func (tx Tx) storeCounts(ctx context.Context) error {
	for counts := tx.notes.counts; len(counts) > 0; {
		counter := counts[0].counter
		var sums any
		counts = slices.DeleteFunc(counts, func(c count) bool {
			if c.counter != counter {
				return false
			}
			sums = c.addTo(sums)
			return true
		})
		if err := counter.storeAll(ctx, tx, sums); err != nil {
			return err
		}
	}
	return nil
}

// Lane is a small number that groups which are committed side by side do not share on a node, and seldom between nodes.
// With it in the key of rows that every group changes, they do not wait for each other.
func (tx Tx) Lane() int64 { return tx.lane }
