package silence

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// bound sets TCP_USER_TIMEOUT; see tcp(7). A connection that has ended needs none.
func bound(c syscall.RawConn, most time.Duration) {
	_ = c.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(most.Milliseconds()))
	})
}
