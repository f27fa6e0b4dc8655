package silence_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/silence"
)

// A connection ends whose other end takes nothing.
func TestBound(t *testing.T) {
	const most = time.Second
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	dialer := net.Dialer{Control: silence.Dialing(most)}
	for name, one := range map[string]func(*testing.T) (writer, reader net.Conn){
		"dialed": func(t *testing.T) (net.Conn, net.Conn) {
			writer, err := dialer.Dial("tcp", listener.Addr().String())
			require.NoError(t, err)
			reader, err := listener.Accept()
			require.NoError(t, err)
			return writer, reader
		},
		"accepted": func(t *testing.T) (net.Conn, net.Conn) {
			reader, err := net.Dial("tcp", listener.Addr().String())
			require.NoError(t, err)
			writer, err := listener.Accept()
			require.NoError(t, err)
			silence.Bound(writer, most)
			return writer, reader
		},
	} {
		t.Run(name, func(t *testing.T) {
			writer, reader := one(t)
			defer writer.Close()
			defer reader.Close()
			require.NoError(t, writer.SetWriteDeadline(time.Now().Add(time.Minute)))
			for err = nil; err == nil; {
				_, err = writer.Write(make([]byte, 1<<20))
			}
			require.ErrorContains(t, err, "connection timed out", "by the system, not by the deadline")
		})
	}
}
