package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Spool keeps records in a file while the database is away. What is appended is on the disk when
// Append returns. It is safe for concurrent use, by one process.
type Spool struct {
	path string

	mu   sync.Mutex
	file *os.File // nil while there is nothing in it
	size int64

	taking sync.Mutex // held while records are taken out
}

const (
	// maxSpool is how large the file may become, in bytes.
	maxSpool = 64 << 20
	// maxRecord is how long a record may be, in bytes.
	maxRecord = 1 << 20
	// frame is what stands before a record: its length and its checksum (CRC-32C), each in four
	// bytes, the most significant first.
	frame = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrSpoolFull is returned when there is no room for a record.
var ErrSpoolFull = errors.New("the spool is full")

// NewSpool returns the spool of the file, which is made when it is needed. Its folder has to be there.
func NewSpool(path string) *Spool { return &Spool{path: path} }

// Append adds a record, which is not empty, and returns when it would survive a loss of power.
func (s *Spool) Append(record []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return err
	}
	if len(record) == 0 || len(record) > maxRecord || s.size+int64(frame+len(record)) > maxSpool {
		return ErrSpoolFull
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

// open opens the file if it is not, and finds the end of its whole records: what stands behind was torn
// off when the machine stopped.
func (s *Spool) open() error {
	if s.file != nil {
		return nil
	}
	file, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("opening the spool: %w", err)
	}
	// The name is to survive as well.
	if folder, err := os.Open(filepath.Dir(s.path)); err == nil {
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
	info, err := os.Stat(s.path)
	return err != nil || info.Size() < frame
}

// Take hands the records to take, in their order, until it fails, and removes the file when all have
// been taken. What was taken before a failure, or before the process ended, is handed over again.
func (s *Spool) Take(take func(record []byte) error) error {
	s.taking.Lock()
	defer s.taking.Unlock()
	for at := int64(0); ; {
		s.mu.Lock()
		if s.file == nil && at == 0 {
			if _, err := os.Stat(s.path); errors.Is(err, os.ErrNotExist) {
				s.mu.Unlock()
				return nil
			}
		}
		content, err := s.from(at)
		if err == nil && len(content) == 0 { // all is taken
			err = s.remove()
			s.mu.Unlock()
			return err
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
	if err := s.open(); err != nil {
		return nil, err
	}
	content := make([]byte, s.size-at)
	if _, err := s.file.ReadAt(content, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the spool: %w", err)
	}
	return content, nil
}

func (s *Spool) remove() error {
	err := errors.Join(s.file.Close(), os.Remove(s.path))
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
