package spool

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

var (
	// errTaken is returned for a file that another process has.
	errTaken = errors.New("another process has the file")
	// errChanged is returned for a record that is not as it was written.
	errChanged = errors.New("its checksum is wrong")
)

// file is an open file, which this process has locked.
type file struct {
	*os.File
	name  string
	limit int // how many blocks may be used

	mu   sync.Mutex
	used []bool // by block
	free int    // of those up to the limit
	next int    // where to look for a free one

	reserved bool
	sizing   sync.RWMutex // held for writing while the size is changed, for reading while blocks are written

	flush          sync.Mutex // held during a flush
	written        uint64     // how many writes have ended; guarded by mu
	synced, failed uint64     // up to which write all is on the disk, or may be lost; guarded by flush

	places []*place // what was found in it
	lost   int64    // how many bytes of records could not be read
}

// place is where a record lies.
type place struct {
	sequence, key uint64
	length        int
	blocks        []uint32 // in the order of the parts
}

// stamp reports whether a file has been written.
type stamp struct {
	size     int64
	modified time.Time
}

func stampOf(info os.FileInfo) stamp { return stamp{info.Size(), info.ModTime()} }

// openFile opens and locks the file, and looks through it. Of what it holds, size bytes are to be used.
func openFile(name string, size int64, create bool) (*file, error) {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
	}
	opened, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		return nil, err
	}
	f := &file{File: opened, name: name, limit: int(size / blockSize)}
	if !lock(opened) || !f.isAt(name) { // another process has it, or has just removed it
		f.Close()
		return nil, errTaken
	}
	if isOld(opened) {
		err = os.Rename(name, name+oldEnding)
		f.Close()
		if err != nil {
			return nil, err
		}
		return openFile(name, size, create)
	}
	if err := f.scan(); err != nil {
		f.Close()
		return nil, err
	}
	syncFolder(name)
	return f, nil
}

// syncFolder makes the name survive a loss of power, too.
func syncFolder(name string) {
	if folder, err := os.Open(filepath.Dir(name)); err == nil {
		folder.Sync()
		folder.Close()
	}
}

// isAt reports whether the file is the one of the name.
func (f *file) isAt(name string) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	at, err := os.Stat(name)
	return err == nil && os.SameFile(info, at)
}

// writeTries is how often a record is written to other blocks, where the disk refuses some.
const writeTries = 3

// take has write put a record into free blocks, and into others where the disk refuses some.
func (f *file) take(sequence, key uint64, body []byte, write func(*place, []byte) error) (p *place, err error) {
	for range writeTries {
		if p = f.place(sequence, key, len(body)); p == nil {
			return nil, cmp.Or(err, ErrFull)
		}
		if err = write(p, body); err == nil {
			return p, nil
		}
		f.abandon(p, err)
		err = fmt.Errorf("keeping a form on the disk: %w", err)
		if isFull(err) {
			break
		}
	}
	return nil, err
}

// place takes free blocks for a record; nil if there are not enough.
func (f *file) place(sequence, key uint64, length int) *place {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := partsOf(length)
	if n > f.free {
		return nil
	}
	p := &place{sequence: sequence, key: key, length: length, blocks: make([]uint32, 0, n)}
	for len(p.blocks) < n {
		if !f.used[f.next] {
			f.used[f.next] = true
			p.blocks = append(p.blocks, uint32(f.next))
		}
		f.next = (f.next + 1) % f.limit
	}
	f.free -= n
	return p
}

// abandon frees the blocks of a record that could not be written. Blocks that the disk refuses are not used any more.
func (f *file) abandon(p *place, why error) {
	if f.clear(p.blocks) != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if isFull(why) {
		f.next = int(p.blocks[0]) // no holes, which would need space later
		return
	}
	for _, at := range p.blocks {
		f.used[at] = true
	}
	f.free -= len(p.blocks)
}

// write writes the record to its blocks and returns when it is on the disk.
func (f *file) write(p *place, body []byte) error {
	if err := f.put(p, body); err != nil {
		return err
	}
	return f.sync()
}

// put is write without waiting for the disk.
func (f *file) put(p *place, body []byte) error {
	return f.overwrite(p.blocks, encode(make([]byte, 0, len(p.blocks)*blockSize), p.sequence, p.key, body))
}

// overwrite writes the content to the blocks.
func (f *file) overwrite(blocks []uint32, content []byte) error {
	f.sizing.RLock()
	defer f.sizing.RUnlock()
	for len(blocks) > 0 {
		run := 1
		for run < len(blocks) && blocks[run] == blocks[run-1]+1 {
			run++
		}
		if _, err := f.WriteAt(content[:run*blockSize], int64(blocks[0])*blockSize); err != nil {
			return err
		}
		blocks, content = blocks[run:], content[run*blockSize:]
	}
	f.mu.Lock()
	f.written++
	f.mu.Unlock()
	return nil
}

// clear overwrites the blocks with zeros; then they are free.
func (f *file) clear(blocks []uint32) error {
	for from := 0; from < len(blocks); {
		some := blocks[from:min(from+len(zeros)/blockSize, len(blocks))]
		if err := f.overwrite(some, zeros[:len(some)*blockSize]); err != nil && !isFull(err) { // what was never written is free
			return err
		}
		from += len(some)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, at := range blocks {
		f.used[at] = false
		if int(at) < f.limit {
			f.free++
		}
	}
	return nil
}

// read reads a record.
func (f *file) read(p *place) ([]byte, error) {
	body := make([]byte, 0, p.length)
	block := make([]byte, blockSize)
	for i, at := range p.blocks {
		if n, err := f.ReadAt(block, int64(at)*blockSize); n < blockSize {
			return nil, fmt.Errorf("reading the spool: %w", err)
		}
		h, part, whole := decode(block)
		if !whole || h.sequence != p.sequence || h.index != i || h.length != p.length {
			return nil, errChanged
		}
		body = append(body, part...)
	}
	return body, nil
}

// sync returns when all that has been written before is on the disk. One flush serves all who wait for it.
func (f *file) sync() error {
	f.mu.Lock()
	mine := f.written
	f.mu.Unlock()
	f.flush.Lock()
	defer f.flush.Unlock()
	switch {
	case mine == 0 || mine <= f.synced && mine > f.failed:
		return nil
	case mine <= f.failed:
		return syscall.EIO
	}
	f.mu.Lock()
	all := f.written
	f.mu.Unlock()
	if err := flush(f.File); err != nil {
		f.failed = all // the system tells once of what it could not write, and then forgets it
		return err
	}
	f.synced = all
	return nil
}

// room is how many bytes of records can still be written.
func (f *file) room() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int64(f.free) * partSize
}

// reserve takes the space of all blocks from the disk, so that nobody else gets it.
func (f *file) reserve() error {
	if f.reserved {
		return nil
	}
	f.sizing.Lock()
	defer f.sizing.Unlock()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := int64(f.limit) * blockSize
	if err = allocate(f.File, info.Size(), size); err == nil {
		err = f.Sync()
	}
	if err != nil {
		if info.Size() < size {
			_ = f.Truncate(info.Size()) // half of it would help nobody
		}
		return err
	}
	f.reserved = true
	return nil
}

// isFull says whether the disk, or what its owner allows, is full.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
