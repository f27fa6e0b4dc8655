package page

import (
	"errors"
	"io"
	"net/http"
)

// ReadFrom reads until the place is passed and leaves the rest to the server, who
// may have a shorter way from a file to the network.
func (w *writer) ReadFrom(r io.Reader) (total int64, err error) {
	if w.stage == waiting {
		w.WriteHeader(http.StatusOK)
	}
	p := w.page
	if w.stage != passing && p == nil { // nothing is kept of the body
		return io.Copy(struct{ io.Writer }{w}, r)
	}
	for w.stage != passing {
		if p.scratch == nil {
			p.scratch = make([]byte, 32<<10)
		}
		n, err := r.Read(p.scratch)
		if n > 0 {
			if err := w.take(p.scratch[:n]); err != nil {
				return total, err
			}
			total += int64(n)
		}
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
	rest, ok := w.rw.(io.ReaderFrom)
	if !ok {
		n, err := io.Copy(struct{ io.Writer }{w.rw}, r)
		return total + n, err
	}
	n, err := rest.ReadFrom(r)
	return total + n, err
}
