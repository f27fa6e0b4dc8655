//go:build !linux

package postgres

import "syscall"

// boundSilence does nothing where the kernel has no such bound; Go's keepalives end a
// connection to a machine that has gone.
func boundSilence(string, string, syscall.RawConn) error { return nil }
