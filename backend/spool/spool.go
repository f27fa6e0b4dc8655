// Package spool keeps records on the disk while the database is away.
package spool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
)

// Spool keeps records in a file. What is appended is on the disk when
// Append returns. It is safe for concurrent use. Each process has a file of its own, which it has
// locked; the file of a process that has ended is taken over by another.
type Spool struct {
	path string // of the first file; others have numbers behind it

	mu   sync.Mutex
	file *os.File // locked; nil while there is nothing in it
	size int64

	taking sync.Mutex // held while records are taken out
}

const (
	// maxSpool is how large the file may become, in bytes.
	maxSpool = 64 << 20
	// maxRecord is how long a record may be, in bytes.
	maxRecord = 1 << 20
	// maxSpools is how many processes may share a path.
	maxSpools = 64
	// frame is what stands before a record: its length and its checksum (CRC-32C), each in four
	// bytes, the most significant first.
	frame = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrFull is returned when there is no room for a record.
var ErrFull = errors.New("the spool is full")

// New returns a spool in the file of the path, or where another process has that, in one with a number behind it:
// frontdesk.forms.1. The file is made when it is needed. Its folder has to be there.
func New(path string) *Spool { return &Spool{path: path} }

// Append adds a record, which is not empty, and returns when it would survive a loss of power.
func (s *Spool) Append(record []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(true); err != nil {
		return err
	}
	if len(record) == 0 || len(record) > maxRecord || s.size+int64(frame+len(record)) > maxSpool {
		return ErrFull
	}
	framed := binary.BigEndian.AppendUint32(make([]byte, 0, frame+len(record)), uint32(len(record)))
	framed = binary.BigEndian.AppendUint32(framed, crc32.Checksum(record, castagnoli))
	framed = append(framed, record...)
	_, err := s.file.WriteAt(framed, s.size)
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil { // what was written of it, if anything, is written over by the next
		return fmt.Errorf("keeping a form on the disk: %w", err)
	}
	s.size += int64(len(framed))
	return nil
}

// open opens a file if none is open, and finds the end of its whole records: what stands behind was torn
// off when the machine stopped. Where none is free, one is made if create says so; else there is none then.
func (s *Spool) open(create bool) error {
	for n := 0; n < maxSpools && s.file == nil; n++ {
		name := s.path
		if n > 0 {
			name += "." + strconv.Itoa(n)
		}
		flags := os.O_RDWR
		if create {
			flags |= os.O_CREATE
		}
		file, err := os.OpenFile(name, flags, 0o600)
		if errors.Is(err, os.ErrNotExist) && !create {
			continue
		}
		if err != nil {
			return fmt.Errorf("opening the spool: %w", err)
		}
		if !lock(file) || !isAt(file, name) { // another process has it, or has just removed it
			file.Close()
			continue
		}
		if err := s.use(file); err != nil {
			return err
		}
	}
	if s.file == nil && create {
		return fmt.Errorf("opening the spool: %d other processes have one at %s", maxSpools, s.path)
	}
	return nil
}

// isAt tells whether the file is the one of the name.
func isAt(file *os.File, name string) bool {
	info, err := file.Stat()
	if err != nil {
		return false
	}
	at, err := os.Stat(name)
	return err == nil && os.SameFile(info, at)
}

// use goes on with the file.
func (s *Spool) use(file *os.File) error {
	// The name is to survive as well.
	if folder, err := os.Open(filepath.Dir(file.Name())); err == nil {
		folder.Sync()
		folder.Close()
	}
	content, err := io.ReadAll(io.LimitReader(file, maxSpool))
	if err != nil {
		file.Close()
		return fmt.Errorf("reading the spool: %w", err)
	}
	for s.size = 0; ; {
		record := nextRecord(content[s.size:])
		if record == nil {
			break
		}
		s.size += int64(frame + len(record))
	}
	s.file = file
	return nil
}

// nextRecord is the first record; nil where there is none that is whole.
func nextRecord(content []byte) []byte {
	if len(content) < frame {
		return nil
	}
	length := binary.BigEndian.Uint32(content)
	if length == 0 || length > maxRecord || int(length) > len(content)-frame {
		return nil
	}
	record := content[frame : frame+length]
	if crc32.Checksum(record, castagnoli) != binary.BigEndian.Uint32(content[4:]) {
		return nil
	}
	return record
}

// Empty tells whether nothing is waiting. It is cheap.
func (s *Spool) Empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		return s.size == 0
	}
	files, _ := filepath.Glob(quoted(s.path) + "*")
	return len(files) == 0
}

// special are the characters of patterns of files.
var special = regexp.MustCompile(`[*?\[\\]`)

// quoted is a pattern of the path itself.
func quoted(path string) string { return special.ReplaceAllString(path, `\$0`) }

// Take hands the records to take, in their order, until it fails, and removes the file when all have
// been taken. What was taken before a failure, or before the process ended, is handed over again.
func (s *Spool) Take(take func(record []byte) error) error {
	s.taking.Lock()
	defer s.taking.Unlock()
	for at := int64(0); ; {
		s.mu.Lock()
		if err := s.open(false); err != nil || s.file == nil {
			s.mu.Unlock()
			return err
		}
		content, err := s.from(at)
		if err == nil && len(content) == 0 { // all is taken: there may be the file of another
			err = s.remove()
			at = 0
		}
		s.mu.Unlock() // forms may come meanwhile
		if err != nil {
			return err
		}
		for record := nextRecord(content); record != nil; record = nextRecord(content) {
			if err := take(bytes.Clone(record)); err != nil {
				return err
			}
			at += int64(frame + len(record))
			content = content[frame+len(record):]
		}
	}
}

// from is what stands in the file from there on.
func (s *Spool) from(at int64) ([]byte, error) {
	content := make([]byte, s.size-at)
	if _, err := s.file.ReadAt(content, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the spool: %w", err)
	}
	return content, nil
}

func (s *Spool) remove() error {
	err := errors.Join(os.Remove(s.file.Name()), s.file.Close()) // while it is locked, as another process may wait for it
	s.file, s.size = nil, 0
	return err
}

// Close closes the file, in which all stays.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}
