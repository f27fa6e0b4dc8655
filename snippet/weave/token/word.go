package token

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Word is a lower-case name of at most eight bytes, as a number. Its first byte is the lowest.
type Word uint64

// maxWord is how many bytes a word may have.
const maxWord = 8

// WordOf returns the word of a name of at most eight bytes.
func WordOf(name string) (w Word) {
	for i := len(name) - 1; i >= 0; i-- {
		w = w<<8 | Word(Lower(name[i]))
	}
	return w
}

// String returns the name.
func (w Word) String() string {
	var b []byte
	for ; w != 0; w >>= 8 {
		b = append(b, byte(w))
	}
	return string(b)
}

const ones = 0x0101010101010101

// WordAt reads a name from the bytes of x, up to the first byte without the bit 0x40, which all letters have. It
// returns the name in lower case, its number of bits, and the byte behind it.
func WordAt(x uint64) (w Word, size int, next byte) {
	size = bits.TrailingZeros64(^x&(0x40*ones)) &^ 7
	return Word((x | 0x20*ones) & (1<<size - 1)), size, byte(x >> size)
}

// TagWord reads the name of the tag whose "<" is at p[i-1]. It looks at ten bytes from p[i] on. It also returns the
// index behind the name, and whether the tag is a start tag. The name is 0 if it has more than seven letters or has
// other characters than letters; h1 to h6 are the exception. Such a tag has to be read.
func TagWord(p []byte, i int) (name Word, after int, start bool) {
	if start = p[i] != '/'; !start {
		i++
	}
	name, size, next := WordAt(binary.LittleEndian.Uint64(p[i:]))
	after = i + size/8
	for w := name; w != 0; w >>= 8 {
		if !IsLetter(byte(w)) {
			return 0, after, start
		}
	}
	if name == 'h' && '1' <= next && next <= '6' {
		name |= Word(next) << 8
		after++
		next = p[after]
	}
	if size == 64 || !EndsName(next) {
		return 0, after, start
	}
	return name, after, start
}

const (
	hashBegin = 0xcbf29ce484222325 // FNV-1a
	hashPrime = 0x100000001b3
)

func hashed(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// Number returns a number that is the same for tags of one name. It is the name's [Word] if the name is short enough.
func (t *Tag) Number() uint64 {
	if len(t.Name) <= maxWord && bytes.IndexByte(t.Name, 0) < 0 {
		return uint64(WordOf(string(t.Name)))
	}
	return (hashed(hashBegin, t.Name)^t.rest)*hashPrime | 1<<63
}

// NumberOf returns the [Tag.Number] of tags of this name, which is in lower case.
func NumberOf(name string) uint64 {
	t := Tag{Name: []byte(name)}
	if len(name) > MaxName {
		t.Name, t.Cut = t.Name[:MaxName], true
		t.rest = hashed(hashBegin, []byte(name[MaxName:]))
	}
	return t.Number()
}

// Hash returns a hash of the attribute's name and value. It is not 0.
func (a *Attribute) Hash() uint64 {
	return hashed(hashed(hashBegin, a.Name)*hashPrime, a.Value) | 1
}
