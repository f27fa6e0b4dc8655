// Package intake bounds the memory for bodies of requests while they are received: of all clients together, and of the
// clients of each network.
package intake

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/seed-3405227d/frontdesk/backend/pace"
)

const (
	// Whole is how many bytes the bodies of all clients may take at once.
	Whole = 64 << 20
	// One network may take Whole divided by parts.
	parts = 8
	// Free is how many bytes of each body do not count: its connection needs more. So a client that fills the budget
	// cannot keep short messages out.
	Free = 4 << 10
	// RetryAfter is how many seconds a client should wait after its body was refused.
	RetryAfter = 5
)

// ErrFull is returned for a body that finds no room, among those of all clients or of its client's network.
var ErrFull = errors.New("more is being received at once than is taken")

// Budget counts the bytes of bodies in memory. It is safe for concurrent use. A nil Budget has no bounds.
type Budget struct {
	whole int

	mu       sync.Mutex
	held     int
	networks map[string]int // bytes in memory, by network; see [pace.Truncated]
	refused  int
}

// New returns a budget of whole bytes. One network, an IPv4 /24 or an IPv6 /48, may have an eighth.
func New(whole int) *Budget { return &Budget{whole: whole, networks: make(map[string]int)} }

// Held returns how many bytes are in memory now.
func (b *Budget) Held() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// Refused returns how many bodies have found no room since the start.
func (b *Budget) Refused() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refused
}

// Share is the part of a budget that one body takes. It is safe for concurrent use. A nil Share takes nothing.
type Share struct {
	budget  *Budget
	network string

	// The budget's lock protects these.
	taken int
	over  bool // it was refused or closed
}

// Share returns a share for a body from the client with this address, which is the RemoteAddr of a request.
func (b *Budget) Share(remote string) *Share {
	if b == nil {
		return nil
	}
	return &Share{budget: b, network: pace.Truncated(pace.Client(remote))}
}

// Take takes n more bytes. If there is no room, it returns false and takes nothing, now and later.
func (s *Share) Take(n int) bool {
	if s == nil || n <= 0 {
		return true
	}
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.over {
		return false
	}
	counted := max(0, s.taken+n-Free) - max(0, s.taken-Free)
	if counted > 0 && (b.held+counted > b.whole || b.networks[s.network]+counted > b.whole/parts) {
		b.refused++
		s.over = true
		return false
	}
	s.taken += n
	b.add(s.network, counted)
	return true
}

// add counts bytes for the network. The caller holds the lock.
func (b *Budget) add(network string, n int) {
	b.held += n
	if now := b.networks[network] + n; now > 0 {
		b.networks[network] = now
	} else {
		delete(b.networks, network)
	}
}

// Close gives all bytes back. The share takes nothing more.
func (s *Share) Close() {
	if s == nil {
		return
	}
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	s.budget.add(s.network, -max(0, s.taken-Free))
	s.taken, s.over = 0, true
}

// shareKey is the key of a request's *Share in its context.
type shareKey struct{}

// Admit returns the request with a share of the budget for [Body]. done gives the share back. The request's RemoteAddr
// is the client's own address.
func (b *Budget) Admit(r *http.Request) (admitted *http.Request, done func()) {
	if b == nil || r.Body == nil || r.Body == http.NoBody {
		return r, func() {}
	}
	share := b.Share(r.RemoteAddr)
	return r.WithContext(context.WithValue(r.Context(), shareKey{}, share)), share.Close
}

// Body returns the body of a request. Everything that is read from it counts until the end of the request. A read fails
// with [ErrFull] if there is no room, and with [io.ErrUnexpectedEOF] at the end of a body that is shorter than it was
// announced, of which HTTP/3 says nothing. Without [Budget.Admit], Body returns the body as it is.
func Body(r *http.Request) io.ReadCloser {
	share, _ := r.Context().Value(shareKey{}).(*Share)
	if share == nil {
		return r.Body
	}
	return &body{r.Body, share, r.ContentLength}
}

type body struct {
	io.ReadCloser
	share *Share
	left  int64 // bytes of those that were announced; negative if none were
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if !b.share.Take(n) {
		return 0, ErrFull
	}
	if b.left -= int64(n); b.left > 0 && err == io.EOF {
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// ReadAll reads all of r. length is the announced length in bytes, or -1 if it is unknown. ReadAll takes memory as the
// bytes come: at most twice as much as has come, plus 512 bytes.
func ReadAll(r io.Reader, length int64) ([]byte, error) {
	const first = 512
	content := make([]byte, 0, first)
	if 0 <= length && length < first {
		content = make([]byte, 0, length+1) // one more, to notice the end
	}
	for {
		n, err := r.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		if errors.Is(err, io.EOF) {
			return content, nil
		}
		if err != nil {
			return content, err
		}
		if len(content) == cap(content) {
			room := 2 * cap(content)
			if length >= int64(len(content)) {
				room = int(min(int64(room), length+1))
			}
			grown := make([]byte, len(content), room)
			copy(grown, content)
			content = grown
		}
	}
}
