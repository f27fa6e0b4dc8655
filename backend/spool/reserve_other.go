//go:build !linux

package spool

import "os"

// flush returns when the content of the file is on the disk.
func flush(f *os.File) error { return f.Sync() }

// allocate takes the space of the whole size from the disk. Now the file has so many bytes.
func allocate(f *os.File, now, size int64) error { return fill(f, now, size) }
