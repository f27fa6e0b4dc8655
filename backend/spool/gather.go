package spool

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"go.uber.org/zap"
)

// special are the characters of patterns of files.
var special = regexp.MustCompile(`[*?\[\\]`)

// filesAt returns the names of all files at the path: with a number behind it, or without.
func filesAt(path string) []string {
	if path == "" {
		return nil
	}
	files, _ := filepath.Glob(special.ReplaceAllString(path, `\$0`) + "*")
	return slices.DeleteFunc(files, func(name string) bool {
		end := name[len(path):]
		return end != "" && end != oldEnding && !numbered.MatchString(end)
	})
}

var numbered = regexp.MustCompile(`^\.[0-9]{1,2}(\.old)?$`)

// gather moves what lies in other files into the own one: in those that were the own one before, and in those of
// processes that have ended. taking is held.
func (s *Spool) gather() error {
	s.mu.Lock()
	own, settings, retired := s.own, s.settings, s.retired
	s.retired = nil
	s.mu.Unlock()
	for i, f := range retired {
		if err := s.move(own, f, true); err != nil {
			s.mu.Lock()
			s.retired = append(s.retired, retired[i:]...)
			s.mu.Unlock()
			return err
		}
		if f.isAt(f.name) {
			os.Remove(f.name)
		}
		f.Close()
	}
	for _, name := range append(filesAt(settings.File), filesAt(settings.Former)...) {
		if name == own.name {
			continue
		}
		info, err := os.Stat(name)
		if err != nil || s.others[name] == stampOf(info) {
			continue
		}
		if filepath.Ext(name) == oldEnding {
			err = s.takeOld(own, name)
		} else {
			err = s.takeOver(own, name, settings)
		}
		if err != nil && !errors.Is(err, errTaken) && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// takeOver takes over the file, if no other process has it. The file stays for another process, unless it is the former
// one.
func (s *Spool) takeOver(own *file, name string, settings Settings) error {
	f, err := openFile(name, settings.Size, false)
	if err != nil {
		return err
	}
	defer f.Close()
	s.tellLost(f)
	if err := s.move(own, f, false); err != nil {
		return err
	}
	if !slices.Contains(filesAt(settings.File), name) {
		return os.Remove(name)
	}
	info, err := f.Stat()
	if err == nil {
		s.others[name] = stampOf(info)
	}
	return err
}

// move moves all records of a file into the own one, of which counted says that they are counted already. When it is
// interrupted, a record may be in both.
func (s *Spool) move(own, from *file, counted bool) error {
	slices.SortFunc(from.places, func(a, b *place) int { return cmp.Compare(a.sequence, b.sequence) })
	for len(from.places) > 0 {
		some := from.places[:min(syncEvery, len(from.places))]
		for _, p := range some {
			body, err := from.read(p)
			if err != nil {
				s.logger.Error("a waiting form is lost: what the disk gives back is not what was written",
					zap.String("file", from.name), zap.Int("bytes", p.length), zap.Error(err))
			} else if err := s.add(own, p.sequence, p.key, body, own.put); err != nil {
				return err
			}
		}
		if err := own.sync(); err != nil {
			return err
		}
		for _, p := range some {
			_ = from.clear(p.blocks) // what stays is known by its key
			if counted {
				s.mu.Lock()
				s.forget(p.key)
				s.mu.Unlock()
			}
		}
		from.places = from.places[len(some):]
	}
	return from.sync()
}

// oldEnding is behind the name of a file that an earlier program has written.
const oldEnding = ".old"

// oldFrame is what stands before a record in such a file: its length and its CRC-32C, 4 bytes each.
const oldFrame = 8

// nextOld returns the first record of such a file; nil where there is none that is whole.
func nextOld(content []byte) []byte {
	if len(content) < oldFrame {
		return nil
	}
	length := binary.BigEndian.Uint32(content)
	if length == 0 || length > maxRecord || int(length) > len(content)-oldFrame {
		return nil
	}
	record := content[oldFrame : oldFrame+length]
	if crc32.Checksum(record, castagnoli) != binary.BigEndian.Uint32(content[4:]) {
		return nil
	}
	return record
}

// isOld reports whether an earlier program has written the file.
func isOld(f *os.File) bool {
	begin := make([]byte, oldFrame, oldFrame+maxRecord)
	if n, _ := f.ReadAt(begin, 0); n < oldFrame || begin[0] != 0 || binary.BigEndian.Uint32(begin) == 0 {
		return false
	}
	n, _ := f.ReadAt(begin[:cap(begin)], 0)
	return nextOld(begin[:n]) != nil
}

// takeOld takes over a file of an earlier program, and removes it.
func (s *Spool) takeOld(own *file, name string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	sequence := uint64(1) // they are older than all others
	for record := nextOld(content); record != nil; record = nextOld(content) {
		if err := s.add(own, sequence, 0, record, own.put); err != nil {
			return err
		}
		content = content[oldFrame+len(record):]
		sequence++
	}
	if err := own.sync(); err != nil {
		return err
	}
	return os.Remove(name)
}
