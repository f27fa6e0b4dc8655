package post

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

const (
	// restSize bounds, in bytes, how far the tee reads a form on its own.
	restSize = 256 << 10
	// restTime is how long the answer to a form waits for the part that the client has not sent yet.
	restTime = 250 * time.Millisecond
)

// tee is the body of a request. The form keeps the bytes that pass. The site may answer before it has read the form, or
// may not be there at all. So the tee then reads on, and the site gets the bytes from the tee if it still wants them.
type tee struct {
	body   io.ReadCloser
	form   *passingForm
	length int64 // the Content-Length; -1 if it is not known
	until  int64 // how far the tee may read on, in bytes
	closed atomic.Bool

	mu    sync.Mutex // held while the body is read
	seen  int64      // bytes read from the body
	ahead []byte     // bytes that the tee has read and the site has not
	end   error      // the error behind ahead; nil while it is not known
}

func newTee(r *http.Request, form *passingForm) *tee {
	t := &tee{body: r.Body, form: form, length: r.ContentLength, until: min(r.ContentLength, restSize)}
	if r.Header.Get("Expect") != "" { // the site may want to refuse it first
		t.until = 0
	}
	return t
}

func (t *tee) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.ahead) > 0 {
		n := copy(p, t.ahead)
		t.ahead = t.ahead[n:]
		return n, nil
	}
	if t.end != nil {
		return 0, t.end
	}
	return t.pass(p)
}

// pass reads from the body. The caller holds the lock.
func (t *tee) pass(p []byte) (int, error) {
	n, err := t.body.Read(p)
	if n > 0 {
		t.seen += int64(n)
		t.form.pass(p[:n])
	}
	if err == io.EOF && t.seen < t.length { // HTTP/3 says nothing of it
		err = io.ErrUnexpectedEOF
	}
	if t.end = err; err != nil && err != io.EOF && !t.closed.Load() {
		t.form.abort()
	}
	return n, err
}

// rest reads the bytes of the form that nobody has read, and waits for them for at most restTime. It does nothing while
// the site reads.
func (t *tee) rest() {
	if !t.mu.TryLock() {
		return
	}
	if t.end != nil || t.seen >= t.until {
		t.mu.Unlock()
		return
	}
	done := make(chan struct{})
	// The goroutine ends with the request at the latest, since a read of a closed body returns.
	aside.Go(t.form.posts.Logger, "reading a form", func() {
		defer close(done)
		defer t.mu.Unlock()
		t.form.posts.Guard("reading a form", func() {
			for p := make([]byte, 4<<10); t.end == nil && t.seen < t.until && t.form.share.Take(len(p)); {
				n, _ := t.pass(p)
				t.ahead = append(t.ahead, p[:n]...)
			}
		})
	})
	timer := time.NewTimer(restTime)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// whole says whether all of the body has passed. It is false while the site reads.
func (t *tee) whole() bool {
	if !t.mu.TryLock() {
		return false
	}
	defer t.mu.Unlock()
	return t.end == io.EOF || t.seen == t.length
}

// Close is called when the site does not want more of the body.
func (t *tee) Close() error {
	t.rest()
	t.closed.Store(true)
	return t.body.Close()
}
