package silence

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// bound sets TCP_USER_TIMEOUT; see tcp(7).
func bound(c syscall.RawConn, most time.Duration) error {
	var set error
	err := c.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(most.Milliseconds()))
	})
	return errors.Join(err, set)
}
