package report

// places numbers what comes, in the order in which it comes first.
type places[K comparable] map[K]int32

// of is the number of the key, and whether it is a new one.
func (p places[K]) of(key K) (number int32, added bool) {
	number, known := p[key]
	if !known {
		number = int32(len(p))
		p[key] = number
	}
	return number, !known
}

// known is the number of the key; -1 where it has none.
func (p places[K]) known(key K) int32 {
	if number, is := p[key]; is {
		return number
	}
	return -1
}
