package sweep

import (
	"math/bits"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// open counts the digits of a row, or of an attribute's value, that goes on from one run of 64 bytes to the next.
type open struct {
	digits int
	at     int // index of the first digit
}

// read counts the digits of 64 bytes, whose first is at index at. The row ends at each bit of ends.
func (o *open) read(digits, ends uint64, at int) {
	if ends != 0 {
		o.digits = 0
		digits &= ^uint64(0) << (63 - bits.LeadingZeros64(ends))
	}
	if digits != 0 {
		if o.digits == 0 {
			o.at = at + bits.TrailingZeros64(digits)
		}
		o.digits += bits.OnesCount64(digits)
	}
}

// many returns the first digit of a row with at least w.least digits, or 0. A row has none of ends inside. before is
// the number of digits that the open row already has.
func (w *Sweep) many(digits, ends uint64, before int) uint64 {
	for digits != 0 {
		first := digits & -digits
		if ends&(first-1) != 0 {
			before = 0
		}
		ends &^= first - 1
		group := digits
		if ends != 0 {
			group &= ends&-ends - 1
		}
		if before+bits.OnesCount64(group) >= w.least {
			return first
		}
		digits &^= group
	}
	return 0
}

// spareReferences removes from digits those that only spell a character reference, unless the reference is a digit
// itself. It adds to ends the references that are no separators. p begins with the byte of bit 0.
func spareReferences(p []byte, ampersands, digits, ends uint64) (uint64, uint64) {
	for ; ampersands != 0; ampersands &= ampersands - 1 {
		i := bits.TrailingZeros64(ampersands)
		if p[i+1] != '#' {
			continue
		}
		size, digit, goesOn := char.RowReference(p[i:])
		if size > 1 && !digit {
			digits &^= (1<<size - 1) << i
			if !goesOn {
				ends |= 1 << i
			}
		}
	}
	return digits, ends
}

// lineEnds returns the tags at which a line begins or ends, and the bytes that begin a currency sign.
func lineEnds(p []byte, tags, high uint64) (ends uint64) {
	for ; tags != 0; tags &= tags - 1 {
		if token.TagBreaksLine(p, bits.TrailingZeros64(tags)) {
			ends |= tags & -tags
		}
	}
	for ; high != 0; high &= high - 1 {
		if i := bits.TrailingZeros64(high); p[i] == 0xE2 && p[i+1] == 0x82 {
			ends |= high & -high
		}
	}
	return ends
}
