// Package coding undoes the content codings of pages, for input that is pushed in. It owns which codings can be undone,
// and how much memory a page may ask for. The writer of pages asks it.
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
	// ErrCrowded says that the memory for a window cannot be afforded.
	ErrCrowded = errors.New("too many pages are held")

	errStopped  = errors.New("decoding was stopped")
	errTrailing = errors.New("data behind the end of the compressed page")
	errWindow   = errors.New("the compressed page needs too much memory")
)

// maxIdleReads is how often a library may read without input and give nothing.
const maxIdleReads = 100

// decodeChunk is how much decoded text is handed on at once.
const decodeChunk = 16 << 10

// Decoder undoes a content coding for input that is pushed in. The libraries pull
// their input; so they run as a coroutine, which is left whenever the input is
// used up and entered again with the next.
type Decoder struct {
	// Input is what has been pushed in and not been taken.
	Input []byte
	// Ended says that there will be no further input.
	Ended bool

	coding string
	afford func(bytes int) bool // asked before memory is taken for a window
	took   bool                 // some of the input has been taken
	yield  func([]byte, error) bool
	pull   func() ([]byte, error, bool)
	halt   func()
}

// NewDecoder gives a decoder for one of the codings that Of names. It has to be stopped. Where it cannot afford the
// memory that the page needs, it ends with [ErrCrowded].
func NewDecoder(coding string, afford func(bytes int) bool) *Decoder {
	d := &Decoder{coding: coding, afford: afford}
	d.pull, d.halt = iter.Pull2(d.run)
	return d
}

// Stop ends the decoder.
func (d *Decoder) Stop() { d.halt() }

// Of gives the name of a response's content coding if it can be undone,
// nothing if there is none, and false for all others.
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

// Next gives the next piece of decoded text, valid until the next call, or
// [ErrHungry], io.EOF at the proper end, or the reason why the input is corrupt.
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

// decode hands all of the page on. A nil error means that it was whole.
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

// Read gives the libraries what was pushed in.
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

// decodeBuffer is what a decoder needs besides the library's own memory.
type decodeBuffer struct {
	source *bufio.Reader
	chunk  [decodeChunk]byte
}
