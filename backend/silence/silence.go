// Package silence ends connections whose other end is silent. Its machine has gone, or its network has, and nobody says
// so: by itself the system waits for a quarter of an hour.
package silence

import (
	"net"
	"strings"
	"syscall"
	"time"
)

// Bound has the system give up a connection over TCP, or over TLS, whose other end acknowledges nothing of what it is
// sent for so long, or takes nothing. An idle one is given up when that is as old and a keepalive was in vain.
//
// It does so on Linux. Connections of Multipath TCP have no such bound, and those that something hides which is wrapped
// around them are left as they are.
func Bound(c net.Conn, most time.Duration) {
	if over, ok := c.(interface{ NetConn() net.Conn }); ok { // see [crypto/tls.Conn.NetConn]
		c = over.NetConn()
	}
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return
	}
	if raw, err := tcp.SyscallConn(); err == nil {
		bound(raw, most)
	}
}

// Dialing is a [net.Dialer.Control] that bounds connections as [Bound] does.
func Dialing(most time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) error {
		if strings.HasPrefix(network, "tcp") {
			bound(c, most)
		}
		return nil
	}
}
