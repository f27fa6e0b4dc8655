package phone

import "math/bits"

// entry is one form of one number, and what becomes of it.
type entry struct {
	digits   uint64 // the form read as a decimal; its length tells leading zeros
	size     uint8
	form     Form
	pours    bool // poured holds as many digits as the form
	linkOnly bool // too short to be told from other figures in text
	number   int32
	poured   [maxDigits]byte // values, not characters
	rewriting
}

// minLoneNational is the fewest digits that a national number without any prefix
// must have to be recognised in text.
const minLoneNational = 7

func newEntry(number int, f form, old, replacement plan) entry {
	e := entry{
		digits:    decimal(f.digits),
		size:      uint8(len(f.digits)),
		form:      f.kind,
		number:    int32(number),
		linkOnly:  f.kind == National && len(f.digits) < minLoneNational,
		rewriting: replacement.rewriting(f, old),
	}
	if poured, ok := replacement.counterpart(f, old); ok {
		e.pours = true
		for i := range len(poured) {
			e.poured[i] = poured[i] - '0'
		}
	}
	return e
}

func decimal(digits string) uint64 {
	var v uint64
	for i := range len(digits) {
		v = v*10 + uint64(digits[i]-'0')
	}
	return v
}

// table finds entries by their digits.
type table struct {
	entries []entry
	slots   []int32 // of a hash table with open addressing: index into entries, or -1
	shift   uint8
	sizes   uint32     // bit n: there are forms of n digits
	least   int        // digits of the shortest form
	begins  [16]uint64 // bit n: some form begins with the three digits n
}

func newTable(all []entry) table {
	t := table{least: maxDigits}
	// What two numbers could mean without a plus sign means neither, unless it is
	// one's full form.
	owner := make(map[[2]uint64]int, len(all))
	for i := range all {
		e := &all[i]
		key := [2]uint64{e.digits, uint64(e.size)}
		j, taken := owner[key]
		switch {
		case !taken:
			owner[key] = i
		case e.form == International:
			owner[key] = i
		case all[j].form != International && all[j].number != e.number:
			all[j].number = -1 // kept as a mark until all are seen
		}
	}
	for i := range all {
		e := &all[i]
		if owner[[2]uint64{e.digits, uint64(e.size)}] == i && e.number >= 0 {
			t.entries = append(t.entries, *e)
		}
	}
	size := 1 << bits.Len(uint(4*len(t.entries)+4))
	t.shift = uint8(64 - bits.Len(uint(size-1)))
	t.slots = make([]int32, size)
	for i := range t.slots {
		t.slots[i] = -1
	}
	for i := range t.entries {
		e := &t.entries[i]
		slot := t.slot(e.digits, e.size)
		for t.slots[slot] >= 0 {
			slot = (slot + 1) & (size - 1)
		}
		t.slots[slot] = int32(i)
		t.sizes |= 1 << e.size
		t.least = min(t.least, int(e.size))
		first := e.digits
		for range int(e.size) - 3 {
			first /= 10
		}
		t.begins[first/64] |= 1 << (first % 64)
	}
	return t
}

func (t *table) slot(digits uint64, size uint8) int {
	return int((digits ^ uint64(size)<<59) * 0x9E3779B97F4A7C15 >> t.shift)
}

// find gives the entry of the digits, or nil.
func (t *table) find(digits uint64, size int) *entry {
	for slot := t.slot(digits, uint8(size)); ; slot = (slot + 1) & (len(t.slots) - 1) {
		i := t.slots[slot]
		if i < 0 {
			return nil
		}
		if e := &t.entries[i]; e.digits == digits && int(e.size) == size {
			return e
		}
	}
}

// mayBegin tells whether some form begins with the three digits.
func (t *table) mayBegin(a, b, c uint8) bool {
	n := int(a)*100 + int(b)*10 + int(c)
	return t.begins[n>>6]>>(n&63)&1 != 0
}
