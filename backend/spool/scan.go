package spool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"
)

// found are the parts of a record.
type found struct {
	key    uint64
	length int
	parts  [][2]uint32 // index and block
}

// whole returns where the record lies; nil if a part is missing.
func (r *found) whole(sequence uint64) *place {
	if len(r.parts) != partsOf(r.length) {
		return nil
	}
	slices.SortFunc(r.parts, func(a, b [2]uint32) int { return int(a[0]) - int(b[0]) })
	p := &place{sequence: sequence, key: r.key, length: r.length, blocks: make([]uint32, len(r.parts))}
	for i, part := range r.parts {
		if int(part[0]) != i {
			return nil
		}
		p.blocks[i] = part[1]
	}
	return p
}

// scan finds the records. What is not whole is overwritten: it was being written or taken out when the process or the
// machine stopped, or the disk has changed it. Only the last leaves blocks that are neither zeros nor right.
func (f *file) scan() error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	blocks := int((info.Size() + blockSize - 1) / blockSize)
	f.used = make([]bool, max(blocks, f.limit))
	records := make(map[uint64]*found)
	var broken []uint32
	err = f.eachBlock(blocks, func(at uint32, block []byte) {
		if bytes.Equal(block, zeros[:len(block)]) {
			return
		}
		f.used[at] = true
		if block == nil { // it cannot be read, and is not used any more
			f.lost += blockSize
			return
		}
		h, _, whole := head{}, []byte(nil), false
		if len(block) == blockSize {
			h, _, whole = decode(block)
		}
		if !whole {
			broken = append(broken, at)
			return
		}
		r := records[h.sequence]
		if r == nil {
			r = &found{key: h.key, length: h.length}
			records[h.sequence] = r
		}
		r.parts = append(r.parts, [2]uint32{uint32(h.index), at})
	})
	if err != nil {
		return err
	}
	f.lost += int64(len(broken)) * blockSize
	for sequence, r := range records {
		if p := r.whole(sequence); p != nil {
			f.places = append(f.places, p)
			continue
		}
		if f.lost > 0 {
			f.lost += int64(len(r.parts)) * blockSize
		}
		for _, part := range r.parts {
			broken = append(broken, part[1])
		}
	}
	for _, used := range f.used[:f.limit] {
		if !used {
			f.free++
		}
	}
	slices.Sort(broken)
	return f.clear(broken)
}

// eachBlock calls do for each block of the file; with nil for one that cannot be read.
func (f *file) eachBlock(blocks int, do func(at uint32, block []byte)) error {
	buffer := make([]byte, 1<<20)
	for at := 0; at < blocks; {
		n, err := f.ReadAt(buffer[:min(len(buffer), (blocks-at)*blockSize)], int64(at)*blockSize)
		if err != nil && !errors.Is(err, io.EOF) {
			if !errors.Is(err, syscall.EIO) {
				return fmt.Errorf("reading the spool: %w", err)
			}
			if n, err = f.ReadAt(buffer[:blockSize], int64(at)*blockSize); err != nil && !errors.Is(err, io.EOF) {
				do(uint32(at), nil)
				at++
				continue
			}
		}
		if n == 0 {
			return nil
		}
		for rest := buffer[:n]; len(rest) > 0; at++ {
			do(uint32(at), rest[:min(blockSize, len(rest))])
			rest = rest[min(blockSize, len(rest)):]
		}
	}
	return nil
}
