//go:build unix

package spool

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock locks the file until it is closed, or its process ends. It is false where another has it.
func lock(file *os.File) bool {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}
