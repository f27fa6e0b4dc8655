package key

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
)

// idBits is the width of the permuted numbers. It is even, so that a balanced Feistel network permutes exactly these
// numbers.
const idBits = 52

// Permutation turns the numbers of a sequence, from 1 upwards, into ids and back. It is a Feistel network with AES as
// its round function. It repeats until the result is in range (cycle walking), and so is a bijection of [1, 2^52).
type Permutation struct {
	cipher cipher.Block
	kind   byte // visitors, visits and views have different permutations
}

const (
	rounds   = 10
	halfBits = idBits / 2
	halfMask = 1<<halfBits - 1
)

// ID returns the public form of a sequence number.
func (p Permutation) ID(number int64) ID {
	f := roundFunction{Permutation: p}
	x := uint64(number)
	for {
		left, right := x>>halfBits, x&halfMask
		for round := range byte(rounds) {
			left, right = right, left^f.of(round, right)
		}
		if x = left<<halfBits | right; x != 0 {
			return ID(x)
		}
	}
}

// Number returns the sequence number of an id, or 0 for a number that is no id.
func (p Permutation) Number(id ID) int64 {
	if id <= 0 || id >= 1<<idBits {
		return 0
	}
	f := roundFunction{Permutation: p}
	x := uint64(id)
	for {
		left, right := x>>halfBits, x&halfMask
		for round := byte(rounds); round > 0; round-- {
			left, right = right^f.of(round-1, left), left
		}
		if x = left<<halfBits | right; x != 0 {
			return int64(x)
		}
	}
}

// roundFunction is the network's round function. block is its buffer.
type roundFunction struct {
	Permutation
	block [aes.BlockSize]byte
}

func (f *roundFunction) of(round byte, half uint64) uint64 {
	clear(f.block[:])
	f.block[0], f.block[1] = f.kind, round
	binary.BigEndian.PutUint64(f.block[8:], half)
	f.cipher.Encrypt(f.block[:], f.block[:])
	return binary.BigEndian.Uint64(f.block[:8]) & halfMask
}
