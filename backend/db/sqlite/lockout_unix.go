//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// lockOut keeps everybody else from using the SQLite database at the path until release is
// called. It returns [ErrInUse] if somebody in another process does. The bytes are
// those that SQLite locks: in the file, PENDING_BYTE and those behind it; in the log's index
// the one that every connection holds (os_unix.c, UNIX_SHM_DMS).
func lockOut(path string) (release func(), err error) {
	var files []*os.File
	release = func() {
		for _, file := range files {
			file.Close()
		}
	}
	for _, locked := range []struct {
		name       string
		start, len int64
	}{{path, 0x40000000, 512}, {path + "-shm", 120, 9}} {
		file, err := os.OpenFile(locked.name, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			release()
			return nil, err
		}
		files = append(files, file)
		lock := unix.Flock_t{Type: unix.F_WRLCK, Start: locked.start, Len: locked.len}
		if err := unix.FcntlFlock(file.Fd(), unix.F_SETLK, &lock); err != nil {
			release()
			if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
				return nil, ErrInUse
			}
			return nil, fmt.Errorf("locking the database: %w", err)
		}
	}
	return release, nil
}
