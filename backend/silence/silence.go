// Package silence ends connections whose other end is silent. Its machine has gone, or its network has, and nobody says
// so: by itself the system waits for a quarter of an hour.
package silence

import (
	"net"
	"syscall"
	"time"
)

// Bound has the system give up a connection over TCP, or over TLS, whose other end acknowledges nothing of what it is
// sent for so long, or takes nothing. It does so on Linux. Other connections are left as they are.
func Bound(c net.Conn, most time.Duration) error {
	if over, ok := c.(interface{ NetConn() net.Conn }); ok { // see [crypto/tls.Conn.NetConn]
		c = over.NetConn()
	}
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return err
	}
	return bound(raw, most)
}

// Dialing is a [net.Dialer.Control] that bounds connections as [Bound] does.
func Dialing(most time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) error {
		if !isTCP(network) {
			return nil
		}
		return bound(c, most)
	}
}

func isTCP(network string) bool { return network == "tcp" || network == "tcp4" || network == "tcp6" }
