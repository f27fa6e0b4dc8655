//go:build !linux

package silence

import (
	"syscall"
	"time"
)

// bound does nothing where the kernel has no such bound; Go's keepalives end a connection to a machine that has gone,
// if nothing is on its way there.
func bound(syscall.RawConn, time.Duration) {}
