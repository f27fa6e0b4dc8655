package visit

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
)

// ID is the public number of a visitor, a session or a hit: 0 < ID < 2^53, so
// that JavaScript holds it exactly. Knowing some tells nothing of others.
type ID int64

// idBits is the width of the numbers that are permuted. It is even, so that a
// balanced Feistel network permutes exactly these.
const idBits = 52

// permutation turns the numbers of a sequence, from 1 upwards, into ids and
// back. It is a Feistel network with AES as its round function, walked until
// the result is in range (cycle walking), which makes it a bijection of
// [1, 2^52).
type permutation struct {
	block cipher.Block
	kind  byte // visitors, sessions and hits are permuted differently
}

const (
	rounds   = 10
	halfBits = idBits / 2
	halfMask = 1<<halfBits - 1
)

func newPermutation(secret []byte, kind byte) (permutation, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return permutation{}, fmt.Errorf("making ids: %w", err)
	}
	return permutation{block: block, kind: kind}, nil
}

// id is the public form of a sequence number.
func (p permutation) id(number int64) ID {
	x := uint64(number)
	for {
		left, right := x>>halfBits, x&halfMask
		for round := range rounds {
			left, right = right, left^p.round(round, right)
		}
		if x = left<<halfBits | right; x != 0 {
			return ID(x)
		}
	}
}

// number is the sequence number of an id; 0 for what cannot be one.
func (p permutation) number(id ID) int64 {
	if id <= 0 || id >= 1<<idBits {
		return 0
	}
	x := uint64(id)
	for {
		left, right := x>>halfBits, x&halfMask
		for round := rounds - 1; round >= 0; round-- {
			left, right = right^p.round(round, left), left
		}
		if x = left<<halfBits | right; x != 0 {
			return int64(x)
		}
	}
}

func (p permutation) round(round int, half uint64) uint64 {
	var block [aes.BlockSize]byte
	block[0], block[1] = p.kind, byte(round)
	binary.BigEndian.PutUint64(block[8:], half)
	p.block.Encrypt(block[:], block[:])
	return binary.BigEndian.Uint64(block[:8]) & halfMask
}
