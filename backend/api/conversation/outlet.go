package conversation

import (
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/silence"
	"github.com/seed-3405227d/frontdesk/backend/stream"
)

// silent is how long a visitor's network may be gone before a stream over HTTP/1.1 is. The page opens another. With
// HTTP/2 the connection is the site's, too, and is left as it is.
const silent = time.Minute

// answered is the outlet of a stream that is the answer to its request, as it has to be with
// HTTP/2 and 3.
type answered struct{ *stream.Answer }

func (a answered) send(event []byte) error { return a.Send(event) }

// gone is known by the request's context.
func (a answered) gone() bool { return false }

func (a answered) close() { a.End() }

// taken is the outlet of a stream that has its connection for itself. Nothing of the request
// is held for it then: no buffers, no headers, no deep stack.
type taken struct{ conn net.Conn }

// takeOver takes the connection of a request of HTTP/1.1 over and begins the answer. It is nil
// where it cannot be taken.
func takeOver(r *gate.Request) outlet {
	if !r.ProtoAtLeast(1, 1) || r.ProtoMajor != 1 {
		return nil
	}
	header := r.W.Header().Clone()
	conn, _, err := http.NewResponseController(r.W).Hijack()
	if err != nil {
		return nil
	}
	header.Set("Connection", "close") // whose end is that of the answer
	silence.Bound(conn, silent)
	if conn.SetDeadline(time.Now().Add(stream.Patience)) != nil {
		conn.Close()
		return taken{conn}
	}
	_, err = conn.Write([]byte("HTTP/1.1 200 OK\r\n"))
	if err == nil {
		err = header.Write(conn)
	}
	if err == nil {
		_, err = conn.Write([]byte("\r\n"))
	}
	if err != nil {
		conn.Close() // the first event fails
	}
	return taken{conn}
}

func (t taken) send(event []byte) error {
	if err := t.conn.SetWriteDeadline(time.Now().Add(stream.Patience)); err != nil {
		return err
	}
	_, err := t.conn.Write(event)
	return err
}

// gone looks whether the connection has ended: clients of a stream say nothing else.
func (t taken) gone() bool {
	if t.conn.SetReadDeadline(time.Now().Add(time.Millisecond)) != nil {
		return true
	}
	var some [1]byte
	_, err := t.conn.Read(some[:])
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

func (t taken) close() { t.conn.Close() }
