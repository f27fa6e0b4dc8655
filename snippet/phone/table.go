package phone

import (
	"math/bits"

	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// entry is one form of one number.
type entry struct {
	digits   uint64 // the digits as a decimal number; size says how many leading zeros there are
	form     *plan.Spelling
	number   int32
	next     int32 // index of an entry of another number with the same digits, or -1
	size     uint8
	linkOnly bool // too short to tell it from other figures in text
}

// minLoneNational is how many digits a national number without any prefix needs at least to be recognised in text.
const minLoneNational = 7

func newEntry(number int, f *plan.Spelling) entry {
	return entry{
		digits:   decimal(f.Digits),
		form:     f,
		number:   int32(number),
		next:     -1,
		size:     uint8(len(f.Digits)),
		linkOnly: f.Kind == plan.National && len(f.Digits) < minLoneNational,
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
	slots   []int32 // a hash table with open addressing: indexes in entries, or -1
	shift   uint8
	sizes   uint32     // bit n is set if a form has n digits
	least   int        // how many digits the shortest form has
	begins  [16]uint64 // bit n is set if a form begins with the three digits of n
}

func newTable(entries []entry) table {
	t := table{entries: entries, least: plan.MaxDigits}
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

// first returns an entry with the digits, or nil.
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

// find returns the entry with the digits among the numbers of shown, or nil. If several numbers have the digits, it
// returns the one whose international form they are, or nil.
func (t *table) find(digits uint64, size int, shown Shown) *entry {
	e := t.first(digits, size)
	if e == nil {
		return nil
	}
	var found *entry
	for shared := false; ; e = &t.entries[e.next] {
		if shown.of(e.number) != nil {
			switch {
			case e.form.Kind == plan.International:
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

// mayBegin says whether a form begins with the three digits.
func (t *table) mayBegin(a, b, c uint8) bool {
	n := int(a)*100 + int(b)*10 + int(c)
	return t.begins[n>>6]>>(n&63)&1 != 0
}
