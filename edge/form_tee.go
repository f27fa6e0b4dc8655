package edge

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

const (
	// restSize bounds, in bytes, the forms that are read although the site has not read them.
	restSize = 256 << 10
	// restTime is how long the answer to such a form waits for what the client has not sent yet.
	restTime = 250 * time.Millisecond
)

// tee is the body of a request, of which the form keeps what passes. Of a site that answers before it has read
// the form, or is not there at all, the form is kept too: the tee reads on, and the site gets from it what it
// still wants.
type tee struct {
	body   io.ReadCloser
	form   *passingForm
	length int64 // as the client has told it; -1 where the rest is not to be read

	mu    sync.Mutex // held while the body is read
	seen  int64      // bytes of the body
	ahead []byte     // what the site has not read of them
	end   error      // what comes behind these; nil while that is not known
}

func newTee(r *http.Request, form *passingForm) *tee {
	t := &tee{body: r.Body, form: form, length: r.ContentLength}
	if t.length > restSize || r.Header.Get("Expect") != "" { // the site may want to refuse it first
		t.length = -1
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

// pass reads from the body. The lock is held.
func (t *tee) pass(p []byte) (int, error) {
	n, err := t.body.Read(p)
	if n > 0 {
		t.seen += int64(n)
		t.form.pass(p[:n])
	}
	if t.end = err; err != nil && err != io.EOF {
		t.form.abort()
	}
	return n, err
}

// rest reads what nobody has read of the form, as far as it comes in time. It does nothing while the site reads.
func (t *tee) rest() {
	if t.length < 0 || !t.mu.TryLock() {
		return
	}
	if t.end != nil || t.seen == t.length {
		t.mu.Unlock()
		return
	}
	done := make(chan struct{})
	// It ends with the request: reading does not wait for a body that is closed.
	aside.Go(t.form.block.edge.Logger, "reading a form", func() {
		defer close(done)
		defer t.mu.Unlock()
		t.form.block.edge.guard("reading a form", func() {
			for p := make([]byte, 4<<10); t.end == nil && t.seen < t.length; {
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

// Close is called by whoever sends the request to the site, when the site does not want more of it.
func (t *tee) Close() error {
	t.rest()
	return t.body.Close()
}
