package spool

import (
	"encoding/binary"
	"hash/crc32"
)

// A block holds a part of a record. Numbers have their most significant byte first.
//
//	 0  magic, 4 bytes
//	 4  CRC-32C of all that follows, 4
//	 8  sequence of the record, 8
//	16  key of the record, 8
//	24  which part of the record this is, from 0, 4
//	28  length of the whole record in bytes, 4
//	32  the part, with zeros behind the last one
//
// A block of zeros is free. Disks write 512 bytes wholly or not at all.
const (
	blockSize = 512
	headSize  = 32
	partSize  = blockSize - headSize
)

// magic begins with a byte that no text has and no file of an earlier program.
const magic = 0xf5464401

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	zeros      [1 << 16]byte
)

// head says which part of which record a block holds.
type head struct {
	sequence, key uint64
	index, length int
}

// partsOf is how many blocks a record of that many bytes takes.
func partsOf(length int) int { return (length + partSize - 1) / partSize }

// encode appends the blocks of a record.
func encode(to []byte, sequence, key uint64, body []byte) []byte {
	length := len(body)
	for index := 0; len(body) > 0; index++ {
		part := body[:min(partSize, len(body))]
		body = body[len(part):]
		at := len(to)
		to = binary.BigEndian.AppendUint32(to, magic)
		to = binary.BigEndian.AppendUint32(to, 0)
		to = binary.BigEndian.AppendUint64(to, sequence)
		to = binary.BigEndian.AppendUint64(to, key)
		to = binary.BigEndian.AppendUint32(to, uint32(index))
		to = binary.BigEndian.AppendUint32(to, uint32(length))
		to = append(to, part...)
		to = append(to, zeros[:partSize-len(part)]...)
		binary.BigEndian.PutUint32(to[at+4:], crc32.Checksum(to[at+8:], castagnoli))
	}
	return to
}

// decode reads a block. It is false if the block is not as it was written.
func decode(block []byte) (h head, part []byte, whole bool) {
	if binary.BigEndian.Uint32(block) != magic || binary.BigEndian.Uint32(block[4:]) != crc32.Checksum(block[8:], castagnoli) {
		return head{}, nil, false
	}
	h = head{
		sequence: binary.BigEndian.Uint64(block[8:]), key: binary.BigEndian.Uint64(block[16:]),
		index: int(binary.BigEndian.Uint32(block[24:])), length: int(binary.BigEndian.Uint32(block[28:])),
	}
	if h.length == 0 || h.length > maxRecord || h.index >= partsOf(h.length) {
		return head{}, nil, false
	}
	return h, block[headSize : headSize+min(partSize, h.length-h.index*partSize)], true
}
