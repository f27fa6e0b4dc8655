// Package intake bounds the memory that the bodies of requests take while they come: of all clients together, and of
// the clients of each network.
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
	// parts: one network has one of so many parts of the whole.
	parts = 8
	// Free is how many bytes of each body are not counted: its connection takes more. So whoever fills the budget keeps
	// no short message out.
	Free = 4 << 10
	// RetryAfter is for how many seconds a client waits whose body was refused.
	RetryAfter = 5
)

// ErrFull is returned for a body for which there is no room: of all clients, or of its client's network.
var ErrFull = errors.New("more is being received at once than is taken")

// Budget is how many bytes of bodies are held at once. It is safe for concurrent use. A nil Budget bounds nothing.
type Budget struct {
	whole int

	mu       sync.Mutex
	held     int
	networks map[string]int // bytes held, by network; see [pace.Truncated]
	refused  int
}

// New returns a budget of so many bytes, of which one network, an IPv4 /24 or an IPv6 /48, may have an eighth.
func New(whole int) *Budget { return &Budget{whole: whole, networks: make(map[string]int)} }

// Held is how many bytes are held now.
func (b *Budget) Held() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// Refused is how many bodies there was no room for, ever.
func (b *Budget) Refused() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refused
}

// Share is what one body takes of a budget. It is safe for concurrent use. A nil Share takes nothing.
type Share struct {
	budget  *Budget
	network string

	// Below the budget's lock.
	taken int
	over  bool // it was refused, or is closed
}

// Share returns the share of a body that the client of the address sends, which is a request's RemoteAddr.
func (b *Budget) Share(remote string) *Share {
	if b == nil {
		return nil
	}
	return &Share{budget: b, network: pace.Truncated(pace.Client(remote))}
}

// Take takes n more bytes. It returns false, and takes nothing, where there is no room for them; from then on there is
// none.
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

// add counts bytes of the network. The caller holds the lock.
func (b *Budget) add(network string, n int) {
	b.held += n
	if now := b.networks[network] + n; now > 0 {
		b.networks[network] = now
	} else {
		delete(b.networks, network)
	}
}

// Close gives everything back. The share takes nothing any more.
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

// Admit returns the request with a share of the budget, from which [Body] reads. The share is given back by done.
// The request's RemoteAddr is that of the client itself.
func (b *Budget) Admit(r *http.Request) (admitted *http.Request, done func()) {
	if b == nil || r.Body == nil || r.Body == http.NoBody {
		return r, func() {}
	}
	share := b.Share(r.RemoteAddr)
	return r.WithContext(context.WithValue(r.Context(), shareKey{}, share)), share.Close
}

// Body is the body of a request, of which what is read is held until the end of the request. A read fails with
// [ErrFull] where there is no room for more. Without [Budget.Admit] it is the body as it is.
func Body(r *http.Request) io.ReadCloser {
	share, _ := r.Context().Value(shareKey{}).(*Share)
	if share == nil {
		return r.Body
	}
	return &body{r.Body, share}
}

type body struct {
	io.ReadCloser
	share *Share
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if !b.share.Take(n) {
		return 0, ErrFull
	}
	return n, err
}

// ReadAll reads all of r, of which length bytes are announced; -1 is for unknown. It takes memory as the bytes come,
// and never more than twice what has come and 512 bytes.
func ReadAll(r io.Reader, length int64) ([]byte, error) {
	const first = 512
	content := make([]byte, 0, first)
	if 0 <= length && length < first {
		content = make([]byte, 0, length+1) // one more, so that the end is seen
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
