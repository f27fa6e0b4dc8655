// Package spool keeps records on the disk while the database is away, in a file whose space is reserved in advance: a
// full disk does not refuse them.
//
// The file is an array of blocks. Each block says by itself to which record it belongs and has a checksum, so a wrong
// bit costs one record, and the parts of a record may lie anywhere. What is taken out is overwritten with zeros. The
// file is neither shortened nor removed, as its space would be somebody else's then.
package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"
)

const (
	// DefaultSize is how much is reserved unless told otherwise, in bytes.
	DefaultSize = 64 << 20
	// MinSize and MaxSize bound what can be reserved, in bytes.
	MinSize, MaxSize = 1 << 20, 4 << 30

	// maxRecord is how long a record may be, in bytes.
	maxRecord = 1 << 20
	// maxFiles is how many processes may share a path.
	maxFiles = 64
	// syncEvery is how many records are taken out before the disk is to know of it.
	syncEvery = 256
	// maxTaken is how many bytes of records are handed over at once.
	maxTaken = 16 << 20
	// maxRest is for how many calls of Take a record rests that has failed again and again.
	maxRest = 32
)

// ErrFull is returned when there is no room for a record.
var ErrFull = errors.New("the spool is full")

// Settings say where records are kept. They are comparable.
type Settings struct {
	// File is the path of the file. Where another process has it, a number stands behind it: frontdesk.forms.1. Its
	// folder has to be there.
	File string
	// Size is how many bytes are reserved, from MinSize to MaxSize.
	Size int64
	// Former is the path of a file that was used before. What is in it is taken over, and it is removed. It may be
	// empty.
	Former string
}

// Spool keeps records in a file of its own, which it has locked. It takes over what a process has left that has ended.
// It is safe for concurrent use.
type Spool struct {
	logger *zap.Logger

	mu       sync.Mutex
	settings Settings
	own      *file              // nil until it is opened
	retired  []*file            // files that are still open, and whose records are to be moved to own
	others   map[string]stamp   // files of other processes, as they were when there was nothing in them
	last     uint64             // the sequence given out last
	records  map[uint64]*record // by sequence; nil while one is written
	keys     map[uint64]int     // how many records of the key wait
	count    int                // how many wait
	trouble  error              // why nothing is reserved
	closed   bool

	taking sync.Mutex // held while records are taken out
	weight *semaphore.Weighted
	now    func() time.Time
}

// record is a record in the own file.
type record struct {
	place
	rest, tries int  // for how many calls of Take it rests, and how often it has been handed over in vain
	aside       bool // its key does not wait for it
}

// New returns a spool that has opened nothing yet; see [Spool.Prepare].
func New(settings Settings, logger *zap.Logger) *Spool {
	return &Spool{
		settings: settings, logger: logger, now: time.Now,
		records: make(map[uint64]*record), keys: make(map[uint64]int), others: make(map[string]stamp),
		weight: semaphore.NewWeighted(maxTaken),
	}
}

// Use changes the settings. What waits where they said before is moved by [Spool.Prepare].
func (s *Spool) Use(settings Settings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.settings != settings {
		s.settings = settings
		s.retire()
	}
}

// retire lets go of the own file. What is in it is moved later.
func (s *Spool) retire() {
	if s.own == nil {
		return
	}
	for _, r := range s.records {
		if r != nil {
			s.own.places = append(s.own.places, &r.place)
		}
	}
	s.retired = append(s.retired, s.own)
	s.own = nil
	clear(s.records)
}

// Prepare opens the file, reserves its space, and takes over what others have left. It is called at start and then now
// and again, as a disk may have room later. The error says what is wrong with the reservation; records are kept all the
// same, as long as the disk takes them.
func (s *Spool) Prepare() error {
	s.taking.Lock()
	defer s.taking.Unlock()
	s.mu.Lock()
	err := s.open()
	if err == nil {
		if err = s.own.reserve(); err != nil {
			err = fmt.Errorf("%d bytes for forms that wait cannot be reserved in %s: %w", s.settings.Size, s.own.name, err)
		}
	}
	s.trouble = err
	opened := s.own != nil
	s.mu.Unlock()
	if opened {
		err = errors.Join(err, s.gather())
	}
	return err
}

// open opens the first file that no other process has, in a folder that is made if there is none.
func (s *Spool) open() error {
	if s.own != nil && !s.own.isAt(s.own.name) {
		s.logger.Error("the file for waiting forms has been removed; another is made", zap.String("file", s.own.name))
		s.retire()
	}
	if s.own == nil {
		if err := os.MkdirAll(filepath.Dir(s.settings.File), 0o700); err != nil {
			return fmt.Errorf("opening the spool: %w", err)
		}
	}
	for n := 0; n < maxFiles && s.own == nil; n++ {
		f, err := openFile(s.nameOf(n), s.settings.Size, true)
		if errors.Is(err, errTaken) {
			continue
		}
		if err != nil {
			return fmt.Errorf("opening the spool: %w", err)
		}
		s.tellLost(f)
		s.own = f
		for _, p := range f.places {
			s.hold(p)
			s.count++
			s.keys[p.key]++
		}
		f.places = nil
	}
	if s.own == nil {
		return fmt.Errorf("opening the spool: %d other processes have one at %s", maxFiles, s.settings.File)
	}
	return nil
}

func (s *Spool) nameOf(n int) string {
	if n == 0 {
		return s.settings.File
	}
	return s.settings.File + "." + strconv.Itoa(n)
}

func (s *Spool) hold(p *place) {
	s.records[p.sequence] = &record{place: *p}
	s.last = max(s.last, p.sequence)
}

// tellLost logs what in the file could not be read.
func (s *Spool) tellLost(f *file) {
	if f.lost > 0 {
		s.logger.Error("waiting forms are lost: what the disk gives back is not what was written",
			zap.String("file", f.name), zap.Int64("bytes", f.lost))
	}
	f.lost = 0
}

// Append adds a record, which is not empty, and returns when it would survive a loss of power. Records of the same key
// are handed over in their order; those of key 0 have no order. The error is [ErrFull] if there is no room for it.
func (s *Spool) Append(key uint64, body []byte) error {
	s.mu.Lock()
	if s.closed {
		defer s.Close()
	}
	err := s.open()
	f, sequence := s.own, max(s.last+1, uint64(s.now().UnixNano())) // higher than all before, whatever the clock does
	s.last = sequence
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.add(f, sequence, key, body, f.write)
}

// add has write put a record into the file, which is the own one.
func (s *Spool) add(f *file, sequence, key uint64, body []byte, write func(*place, []byte) error) error {
	if len(body) == 0 || len(body) > maxRecord {
		return ErrFull
	}
	s.mu.Lock()
	for _, known := s.records[sequence]; known; _, known = s.records[sequence] {
		sequence++
	}
	s.records[sequence] = nil // while it is written
	s.count++
	s.keys[key]++ // from now on, what has this key comes behind
	s.mu.Unlock()
	p, err := f.take(sequence, key, body, write)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		delete(s.records, sequence)
		s.forget(key)
		return err
	case f == s.own:
		s.hold(p)
	default: // it was retired meanwhile
		f.places = append(f.places, p)
	}
	return nil
}

func (s *Spool) forget(key uint64) {
	s.count--
	if s.keys[key]--; s.keys[key] <= 0 {
		delete(s.keys, key)
	}
}

// Holds says whether a record of the key waits or is being written.
func (s *Spool) Holds(key uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[key] > 0
}

// Close closes the file, in which all stays. What is appended later is kept all the same.
func (s *Spool) Close() error {
	s.taking.Lock()
	defer s.taking.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.retire()
	var err error
	for _, f := range s.retired {
		err = errors.Join(err, f.Close())
	}
	s.retired, s.count = nil, 0
	clear(s.keys)
	return err
}
