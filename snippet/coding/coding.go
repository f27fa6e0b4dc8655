// Package coding decodes the content codings of pages, for input that arrives in pieces. It owns which codings can be
// decoded, and how much memory a page may take. The writer of pages asks it.
package coding

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"strings"
)

var (
	// ErrHungry says that more input is needed.
	ErrHungry = errors.New("more input is needed")
	// ErrCrowded says that there is no memory for a window.
	ErrCrowded = errors.New("too many pages are held")

	errStopped  = errors.New("decoding was stopped")
	errTrailing = errors.New("data behind the end of the compressed page")
	errWindow   = errors.New("the compressed page needs too much memory")
)

// maxIdleReads is how often a library may read without input and give nothing.
const maxIdleReads = 100

// decodeChunk is how much decoded text is handed on at once.
const decodeChunk = 16 << 10

// Decoder decodes a content coding for input that is pushed in. The libraries pull their input, so they run as a
// coroutine. The coroutine is left when the input is used up, and entered again with the next.
type Decoder struct {
	// Input is the input that has not been read yet.
	Input []byte
	// Ended says that there will be no more input.
	Ended bool

	coding string
	afford func(bytes int) bool // asked before a window takes memory
	took   bool                 // some of the input has been read
	yield  func([]byte, error) bool
	pull   func() ([]byte, error, bool)
	halt   func()
}

// NewDecoder returns a decoder for one of the codings of Of. The caller stops it. If afford refuses the memory that the
// page needs, the decoder ends with [ErrCrowded].
func NewDecoder(coding string, afford func(bytes int) bool) *Decoder {
	d := &Decoder{coding: coding, afford: afford}
	d.pull, d.halt = iter.Pull2(d.run)
	return d
}

// Stop ends the decoder.
func (d *Decoder) Stop() { d.halt() }

// Of returns the name of a response's content coding if it can be decoded. It returns "" if there is none, and false
// for all other codings.
func Of(values []string) (string, bool) {
	if len(values) == 0 {
		return "", true
	}
	switch coding := strings.ToLower(strings.TrimSpace(values[0])); {
	case len(values) > 1:
		return "", false
	case coding == "" || coding == "identity":
		return "", true
	case coding == "x-gzip": // RFC 9110, 8.4.1.3
		return "gzip", true
	case coding == "gzip", coding == "br", coding == "zstd", coding == "deflate":
		return coding, true
	}
	return "", false
}

// Next returns the next piece of decoded text, which is valid until the next call. The error is [ErrHungry], io.EOF at
// the proper end, or the reason why the input is corrupt.
func (d *Decoder) Next() ([]byte, error) {
	chunk, err, ok := d.pull()
	if !ok {
		return nil, io.EOF
	}
	return chunk, err
}

// run is the coroutine.
func (d *Decoder) run(yield func([]byte, error) bool) {
	d.yield = yield
	b := decodeBuffers.Get().(*decodeBuffer)
	b.source.Reset(d)
	if err := d.decode(b); err != nil && !errors.Is(err, errStopped) {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		yield(nil, err)
	}
	b.source.Reset(nil)
	decodeBuffers.Put(b)
}

// decode hands on the whole page. A nil error means that it was complete.
func (d *Decoder) decode(b *decodeBuffer) error {
	if _, err := b.source.Peek(1); err != nil {
		return err
	}
	window, err := windowOf(d.coding, b.source)
	if err != nil {
		return err
	}
	if !d.afford(window) {
		return ErrCrowded
	}
	r, err := openDecompressor(d.coding, b.source)
	if err != nil {
		return err
	}
	for idle := 0; ; {
		n, err := r.Read(b.chunk[:])
		if n > 0 && !d.yield(b.chunk[:n], nil) {
			return errStopped
		}
		if idle++; n > 0 || d.took {
			idle, d.took = 0, false
		}
		if err == nil && idle == maxIdleReads {
			err = io.ErrNoProgress
		}
		if err == nil {
			continue
		}
		if err != io.EOF {
			r.release()
			return err
		}
		_, err = b.source.Peek(1)
		if err == nil {
			if err = r.again(b.source); err == nil {
				continue
			}
		}
		r.release()
		if err == io.EOF {
			return nil
		}
		return err
	}
}

// Read gives the input to the libraries.
func (d *Decoder) Read(p []byte) (int, error) {
	for len(d.Input) == 0 {
		if d.Ended {
			return 0, io.EOF
		}
		if !d.yield(nil, ErrHungry) {
			return 0, errStopped
		}
	}
	n := copy(p, d.Input)
	d.Input = d.Input[n:]
	d.took = true
	return n, nil
}

// decodeBuffer is the memory of a decoder besides that of the library.
type decodeBuffer struct {
	source *bufio.Reader
	chunk  [decodeChunk]byte
}
