package page

import (
	"errors"
	"io"
	"net/http"
)

// ReadFrom reads until the place is passed and leaves the rest to the server, who
// may have a shorter way from a file to the network.
func (w *writer) ReadFrom(r io.Reader) (int64, error) {
	if w.stage == waiting {
		w.WriteHeader(http.StatusOK)
	}
	var total int64
	if w.stage != passing {
		n, err := w.readUntilPassing(r)
		if total = n; err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return total, err
		}
	}
	if rf, ok := w.rw.(io.ReaderFrom); ok {
		n, err := rf.ReadFrom(r)
		return total + n, err
	}
	n, err := io.Copy(struct{ io.Writer }{w.rw}, r)
	return total + n, err
}

// readUntilPassing ends without an error when everything else can be passed.
func (w *writer) readUntilPassing(r io.Reader) (total int64, err error) {
	p := w.page
	if p == nil { // nothing is kept of the body
		return io.Copy(struct{ io.Writer }{w}, r)
	}
	if p.scratch == nil {
		p.scratch = make([]byte, 32<<10)
	}
	for w.stage != passing {
		n, err := r.Read(p.scratch)
		if n > 0 {
			if err := w.take(p.scratch[:n]); err != nil {
				return total, err
			}
			total += int64(n)
		}
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
