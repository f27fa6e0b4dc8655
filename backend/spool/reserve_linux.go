package spool

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// flush returns when the content of the file is on the disk.
func flush(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// allocate takes the space of the whole size from the disk. Now the file has so many bytes.
func allocate(f *os.File, now, size int64) error {
	var disk unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &disk); err == nil && disk.Bavail*uint64(disk.Bsize) < uint64(max(0, size-now)) {
		return unix.ENOSPC // trying it would leave nothing to anybody else meanwhile
	}
	for {
		err := unix.Fallocate(int(f.Fd()), 0, 0, size)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return fill(f, now, size)
		}
		return err
	}
}
