package report

import "math/bits"

// places numbers what comes, in the order in which it comes first. It is a table of keys with linear probing, which
// takes a fraction of the time of a map where there are a million lookups.
type places[K int64 | uint64] struct {
	keys  []K
	at    []int32 // the number behind the key, plus one; 0 where there is no key
	count int
	shift int
}

// newPlaces returns a table that has room for so many without growing.
func newPlaces[K int64 | uint64](room int) *places[K] {
	p := &places[K]{}
	p.grow(max(4, bits.Len(uint(room+room/2))))
	return p
}

func (p *places[K]) grow(width int) {
	keys, at := p.keys, p.at
	p.keys, p.at, p.shift = make([]K, 1<<width), make([]int32, 1<<width), 64-width
	for i, n := range at {
		if n > 0 {
			slot, _ := p.find(keys[i])
			p.keys[slot], p.at[slot] = keys[i], n
		}
	}
}

// find is the slot that has the key, or that is free for it.
func (p *places[K]) find(key K) (slot int, found bool) {
	mixed := uint64(key) * 0x9e3779b97f4a7c15 // Fibonacci hashing: ids that follow each other are far apart
	mixed ^= mixed >> 32
	for slot = int((mixed * 0x9e3779b97f4a7c15) >> p.shift); p.at[slot] != 0; slot = (slot + 1) & (len(p.at) - 1) {
		if p.keys[slot] == key {
			return slot, true
		}
	}
	return slot, false
}

// of is the number of the key, and whether it is a new one.
func (p *places[K]) of(key K) (number int32, added bool) {
	slot, found := p.find(key)
	if found {
		return p.at[slot] - 1, false
	}
	number = int32(p.count)
	p.count++
	p.keys[slot], p.at[slot] = key, number+1
	if p.count*4 > len(p.at)*3 {
		p.grow(64 - p.shift + 1)
	}
	return number, true
}

// known is the number of the key; -1 where it has none.
func (p *places[K]) known(key K) int32 {
	slot, _ := p.find(key)
	return p.at[slot] - 1
}
