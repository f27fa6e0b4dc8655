package e2e

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// wire is a way to a server that can be cut.
type wire struct {
	listener net.Listener
	mu       sync.Mutex
	to       string
	cut      bool
	open     map[net.Conn]struct{}
	carried  atomic.Int64 // bytes both ways
	refused  atomic.Int64 // connections that came while it was cut
}

// newWire leads to the address.
func newWire(t *testing.T, to string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", freeAddress(t))
	require.NoError(t, err)
	w := &wire{listener: listener, to: to, open: make(map[net.Conn]struct{})}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go w.carry(from)
		}
	}()
	t.Cleanup(func() { listener.Close(); w.set("", true) })
	return w
}

func (w *wire) carry(from net.Conn) {
	defer from.Close()
	w.mu.Lock()
	to, cut := w.to, w.cut
	w.mu.Unlock()
	if cut {
		w.refused.Add(1)
		return
	}
	dialled, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer dialled.Close()
	w.mu.Lock()
	w.open[from], w.open[dialled] = struct{}{}, struct{}{}
	w.mu.Unlock()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{from, dialled}, {dialled, from}} {
		both.Go(func() {
			_, _ = io.Copy(io.MultiWriter(way[0], counting{&w.carried}), way[1])
			way[0].Close()
			way[1].Close()
		})
	}
	both.Wait()
	w.mu.Lock()
	delete(w.open, from)
	delete(w.open, dialled)
	w.mu.Unlock()
}

// counting counts what is written.
type counting struct{ bytes *atomic.Int64 }

func (c counting) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return len(p), nil
}

// set has the wire lead to the address, or be cut; what is open is cut.
func (w *wire) set(to string, cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to, w.cut = to, cut
	for c := range w.open {
		c.Close()
	}
}
