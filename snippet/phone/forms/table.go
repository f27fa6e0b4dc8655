// Package forms finds the numbers that a row of digits may mean, by the forms in which each number is dialled.
package forms

import (
	"math/bits"

	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// Shown are the numbers that replace the numbers of a table, in their order. It may be shorter. A number whose entry
// is nil or missing is not searched. A number that stands for itself is recognised and left as it is, so that it is not
// taken for another number.
type Shown []*plan.Number

// of returns what replaces number i, or nil.
func (s Shown) of(i int32) *plan.Number {
	if int(i) < len(s) {
		return s[i]
	}
	return nil
}

// Entry is one form of one number.
type Entry struct {
	digits   uint64 // the digits as a decimal number; size says how many leading zeros there are
	Form     *plan.Spelling
	Number   int32 // index of the number
	next     int32 // index of an entry of another number with the same digits, or -1
	size     uint8
	LinkOnly bool // too short to tell it from other figures in text
}

// Text returns the digits of the form.
func (e *Entry) Text() string { return e.Form.Digits }

// MinLoneNational is how many digits a national number without any prefix needs at least to be recognised in text.
const MinLoneNational = 7

func newEntry(number int, f *plan.Spelling) Entry {
	return Entry{
		digits:   Decimal(f.Digits),
		Form:     f,
		Number:   int32(number),
		next:     -1,
		size:     uint8(len(f.Digits)),
		LinkOnly: f.Kind == plan.National && len(f.Digits) < MinLoneNational,
	}
}

// Decimal returns digits as a decimal number.
func Decimal(digits string) uint64 {
	var v uint64
	for i := range len(digits) {
		v = v*10 + uint64(digits[i]-'0')
	}
	return v
}

// Table finds entries by their digits. It is immutable and may be shared.
type Table struct {
	Entries []Entry
	slots   []int32 // a hash table with open addressing: indexes in entries, or -1
	shift   uint8
	Sizes   uint32     // bit n is set if a form has n digits
	Least   int        // how many digits the shortest form has
	begins  [16]uint64 // bit n is set if a form begins with the three digits of n
}

// New returns the table of all forms of the numbers.
func New(numbers []*plan.Number) Table {
	t := Table{Least: plan.MaxDigits}
	for i, n := range numbers {
		for k := range n.Forms {
			t.Entries = append(t.Entries, newEntry(i, &n.Forms[k]))
		}
	}
	size := 1 << bits.Len(uint(4*len(t.Entries)+4))
	t.shift = uint8(64 - bits.Len(uint(size-1)))
	t.slots = make([]int32, size)
	for i := range t.slots {
		t.slots[i] = -1
	}
	for i := range t.Entries {
		e := &t.Entries[i]
		if same := t.first(e.digits, int(e.size)); same != nil {
			e.next, same.next = same.next, int32(i)
			continue
		}
		slot := t.slot(e.digits, e.size)
		for t.slots[slot] >= 0 {
			slot = (slot + 1) & (size - 1)
		}
		t.slots[slot] = int32(i)
		t.Sizes |= 1 << e.size
		t.Least = min(t.Least, int(e.size))
		first := e.digits
		for range int(e.size) - 3 {
			first /= 10
		}
		t.begins[first/64] |= 1 << (first % 64)
	}
	return t
}

func (t *Table) slot(digits uint64, size uint8) int {
	return int((digits ^ uint64(size)<<59) * 0x9E3779B97F4A7C15 >> t.shift)
}

// first returns an entry with the digits, or nil.
func (t *Table) first(digits uint64, size int) *Entry {
	for slot := t.slot(digits, uint8(size)); ; slot = (slot + 1) & (len(t.slots) - 1) {
		i := t.slots[slot]
		if i < 0 {
			return nil
		}
		if e := &t.Entries[i]; e.digits == digits && int(e.size) == size {
			return e
		}
	}
}

// Find returns the entry with the digits among the numbers of shown, or nil. If several numbers have the digits, it
// returns the one whose international form they are, or nil.
func (t *Table) Find(digits uint64, size int, shown Shown) *Entry {
	e := t.first(digits, size)
	if e == nil {
		return nil
	}
	var found *Entry
	for shared := false; ; e = &t.Entries[e.next] {
		if shown.of(e.Number) != nil {
			switch {
			case e.Form.Kind == plan.International:
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

// MayBegin says whether a form begins with the three digits.
func (t *Table) MayBegin(a, b, c uint8) bool {
	n := int(a)*100 + int(b)*10 + int(c)
	return t.begins[n>>6]>>(n&63)&1 != 0
}
