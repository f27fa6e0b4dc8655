package weave

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
)

const ones = 0x0101010101010101

// room is how much has to be left of a piece for a walk to go on: a block, and what
// is looked at behind its last byte.
const room = 64 + 16

// walk goes over a piece of the page from stop to stop: the bytes 0x30 to 0x3F, which
// are the digits and : ; < = > ?. It sees 64 bytes at once.
type walk struct {
	p    []byte
	base int    // where the block begins
	mask uint64 // its stops that are still to come
	less uint64 // each "<" in it
	wide bool   // it ends before bytes that may begin a digit in UTF-8
}

// to goes on at p[i], which is not before the block.
func (w *walk) to(i int) {
	if d := i - w.base; d < 64 {
		w.mask &= ^uint64(0) << d
	} else {
		w.look(i)
	}
}

// next gives the next stop, and stays there. It is negative at the end of the walk.
func (w *walk) next() int {
	if w.mask != 0 {
		return w.base + bits.TrailingZeros64(w.mask)
	}
	return w.far()
}

// far is next when there are no stops left in the block.
//
//go:noinline // so that next is inlined
func (w *walk) far() int {
	for w.mask == 0 {
		if !w.look(w.base + 64) {
			return -1
		}
	}
	return w.base + bits.TrailingZeros64(w.mask)
}

// text passes over the digits before the next "<", and gives its index and at least as
// many digits as there are. It is negative where that is not in the block.
func (w *walk) text() (at, digits int) {
	found := w.less & w.mask
	if found &= -found; found == 0 {
		return -1, 0
	}
	digits = bits.OnesCount64(w.mask & (found - 1))
	w.mask &= -found
	return w.base + bits.TrailingZeros64(found), digits
}

// skip takes the stop that next gave.
func (w *walk) skip() { w.mask &= w.mask - 1 }

// endTag passes over an end tag, at whose "<" the walk stands, if it is as usual.
func (w *walk) endTag() bool {
	rest := w.mask & (w.mask - 1)
	if rest == 0 || w.p[w.base+bits.TrailingZeros64(rest)] != '>' {
		return false
	}
	w.mask = rest & (rest - 1)
	return true
}

// look begins a block at p[i].
func (w *walk) look(i int) bool {
	w.base = i
	if i+room > len(w.p) {
		w.mask = 0
		return false
	}
	b := (*[64]byte)(w.p[i:])
	mask, less, high := stops(b)
	if high != 0 && w.wide && wide(b) && phone.HasWideDigit(w.p[i:], len(b)) {
		w.mask, w.p = 0, w.p[:i]
		return false
	}
	w.mask, w.less = mask, less
	return true
}

// stopsOf is stops in Go.
func stopsOf(b *[64]byte) (stops, less, high uint64) {
	for i := 0; i < len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		// The upper halves of eight bytes; bit 4 is set where one is 3.
		y := x>>4&(0x0f*ones) ^ 0x03*ones
		stops |= gather((0x10*ones-y)&(0x10*ones)<<3) << i
		y = x ^ '<'*ones
		less |= gather(^((y&(0x7f*ones)+0x7f*ones)|y)&(0x80*ones)) << i
		high |= gather(x&(0x80*ones)) << i
	}
	return stops, less, high
}

// gather puts the high bits of eight bytes next to each other.
func gather(x uint64) uint64 { return x * 0x0002040810204081 >> 56 }

// wide says whether one of the bytes may begin a digit of another script.
func wide(b *[64]byte) bool {
	for i := 0; i < len(b); i += 8 {
		if phone.MayBeWide(binary.LittleEndian.Uint64(b[i:])) {
			return true
		}
	}
	return false
}

// indexNear is bytes.IndexByte for what is mostly near.
func indexNear(b []byte, c byte) int {
	if len(b) >= 16 {
		for i := 0; i < 16; i += 8 {
			x := binary.LittleEndian.Uint64(b[i:]) ^ uint64(c)*ones
			if m := (x - ones) &^ x & (0x80 * ones); m != 0 {
				return i + bits.TrailingZeros64(m)>>3
			}
		}
	}
	return bytes.IndexByte(b, c)
}
