package phone

import "math/bits"

// entry is one form of one number.
type entry struct {
	digits   uint64 // the form read as a decimal; its length tells leading zeros
	form     *form
	number   int32
	next     int32 // the entry of another number with the same digits, or -1
	size     uint8
	linkOnly bool // too short to be told from other figures in text
}

// minLoneNational is the fewest digits that a national number without any prefix
// must have to be recognised in text.
const minLoneNational = 7

func newEntry(number int, f *form) entry {
	return entry{
		digits:   decimal(f.digits),
		form:     f,
		number:   int32(number),
		next:     -1,
		size:     uint8(len(f.digits)),
		linkOnly: f.kind == National && len(f.digits) < minLoneNational,
	}
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

func newTable(entries []entry) table {
	t := table{entries: entries, least: maxDigits}
	size := 1 << bits.Len(uint(4*len(t.entries)+4))
	t.shift = uint8(64 - bits.Len(uint(size-1)))
	t.slots = make([]int32, size)
	for i := range t.slots {
		t.slots[i] = -1
	}
	for i := range t.entries {
		e := &t.entries[i]
		if same := t.first(e.digits, int(e.size)); same != nil {
			e.next, same.next = same.next, int32(i)
			continue
		}
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

// first gives an entry of the digits, or nil.
func (t *table) first(digits uint64, size int) *entry {
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

// find gives the entry of the digits among the numbers that are replaced, or nil.
// What two of them could mean without a plus sign means neither, unless it is one's
// full form.
func (t *table) find(digits uint64, size int, shown Shown) *entry {
	e := t.first(digits, size)
	if e == nil {
		return nil
	}
	var found *entry
	for shared := false; ; e = &t.entries[e.next] {
		if shown.of(e.number) != nil {
			switch {
			case e.form.kind == International:
				return e
			case shared || found != nil:
				found, shared = nil, true
			default:
				found = e
			}
		}
		if e.next < 0 {
			return found
		}
	}
}

// mayBegin tells whether some form begins with the three digits.
func (t *table) mayBegin(a, b, c uint8) bool {
	n := int(a)*100 + int(b)*10 + int(c)
	return t.begins[n>>6]>>(n&63)&1 != 0
}
