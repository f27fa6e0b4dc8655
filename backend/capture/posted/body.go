// Package posted reads the forms in the bodies of requests while these pass: urlencoded, multipart, JSON and text, in any
// character set. It keeps bounded bytes of each, leaves files out, and does not know what the fields mean.
package posted

import (
	"bytes"
	"cmp"
	"mime"
	"strings"
)

const (
	// maxKept limits the bytes of a body that are kept, without files.
	maxKept = 256 << 10
	// maxPartHeader limits the headers of a part of a multipart body, in bytes.
	maxPartHeader = 8 << 10
	// maxBoundary limits its boundary in bytes (RFC 2046, section 5.1.1).
	maxBoundary = 70
)

// Body keeps the part of a request's body that is read as a form, while the body passes. It never fails, and holds at
// most 256 KB, however large the body is. Files in multipart bodies are left out as they pass.
type Body struct {
	media, charset string
	kept           []byte
	cut            bool
	parts          *parts // of a multipart body
}

// New returns the body of a request with the header Content-Type, or nil if it cannot be a form. A text without a
// type, or of the type text/plain, may be a form: scripts send such texts.
func New(contentType string) *Body {
	media, parameters, err := mime.ParseMediaType(cmp.Or(contentType, plainText))
	if err != nil {
		return nil
	}
	b := &Body{media: media, charset: parameters["charset"]}
	switch {
	case media == "multipart/form-data":
		boundary := parameters["boundary"]
		if boundary == "" || len(boundary) > maxBoundary {
			return nil
		}
		b.parts = newParts(boundary)
	case media != encoded && media != plainText && !isJSON(media):
		return nil
	}
	return b
}

const encoded, plainText = "application/x-www-form-urlencoded", "text/plain"

func isJSON(media string) bool {
	return media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}

// Write takes the next bytes of the body. It does not keep p, and the error is always nil.
func (b *Body) Write(p []byte) (int, error) {
	switch {
	case b.cut:
	case b.parts == nil:
		b.keep(p)
	default:
		b.parts.feed(p, b.keep)
	}
	return len(p), nil
}

// Stop keeps only the first n bytes of the body from now on, because there is no room for more.
func (b *Body) Stop(n int) {
	b.cut = true
	b.kept = bytes.Clone(b.kept[:min(n, len(b.kept))])
	if b.parts != nil {
		b.parts.pending = nil
	}
}

// Held returns how many bytes of memory the body takes.
func (b *Body) Held() int {
	n := cap(b.kept)
	if b.parts != nil {
		n += cap(b.parts.pending)
	}
	return n
}

func (b *Body) keep(p []byte) {
	if room := maxKept - len(b.kept); len(p) > room {
		b.cut = true
		p = p[:room]
	}
	b.kept = append(b.kept, p...)
}

// parts leaves files out of a multipart body (RFC 7578, RFC 2046) and keeps only their headers. It searches the bytes
// where they are: of a file, no more is copied than may begin a delimiter.
type parts struct {
	delimiter *delimiter
	pending   []byte // what is not decided yet: what may begin a delimiter, or the headers of a part
	reading   reading
}

// reading is what parts reads.
type reading byte

const (
	aFile reading = iota // what is dropped up to the next delimiter
	aValue
	headers
	nothing // all that comes is dropped
)

func newParts(boundary string) *parts {
	return &parts{
		delimiter: newDelimiter(boundary),
		pending:   []byte("\r\n"), // the first delimiter stands at the very beginning
	}
}

// feed gives the bytes to keep to keep.
func (s *parts) feed(p []byte, keep func([]byte)) {
	for len(p) > 0 {
		switch s.reading {
		case aFile, aValue:
			p = s.content(p, keep)
		case headers:
			p = s.headers(p, keep)
		default:
			return
		}
	}
}

// content reads up to the next delimiter and returns the rest.
func (s *parts) content(p []byte, keep func([]byte)) []byte {
	whole, before := p, len(s.pending)
	overlap := len(s.delimiter.text) - 1
	if before > 0 { // the delimiter may have begun there
		s.pending = append(s.pending, p[:min(len(p), overlap)]...)
		whole = s.pending
	}
	if at := s.delimiter.index(whole); at >= 0 {
		end := at + len(s.delimiter.text)
		if s.reading == aValue {
			keep(whole[:end])
		} else {
			keep(s.delimiter.text)
		}
		s.pending, s.reading = s.pending[:0], headers
		return p[end-before:]
	}
	if before > 0 && len(p) >= overlap { // it has not
		s.take(whole[:before], keep)
		s.pending = s.pending[:0]
		return p
	}
	decided := max(0, len(whole)-overlap)
	s.take(whole[:decided], keep)
	s.pending = append(s.pending[:0], whole[decided:]...)
	return nil
}

// take keeps the bytes of a value.
func (s *parts) take(p []byte, keep func([]byte)) {
	if s.reading == aValue {
		keep(p)
	}
}

// headers keeps the headers of a part, which show whether it is a file, and returns the rest.
func (s *parts) headers(p []byte, keep func([]byte)) []byte {
	const end = "\r\n\r\n"
	before := len(s.pending)
	s.pending = append(s.pending, p[:min(len(p), maxPartHeader-before)]...)
	from := max(0, before-len(end)+1)
	at := bytes.Index(s.pending[from:], []byte(end))
	if at < 0 {
		if len(s.pending) >= maxPartHeader {
			s.reading = nothing
		}
		return nil
	}
	n := from + at + len(end)
	keep(s.pending[:n])
	if s.reading = aValue; isFile(s.pending[:n]) {
		s.reading = aFile
	}
	s.pending = s.pending[:0]
	return p[n-before:]
}

// isFile reports whether the headers of a part name a file, in whatever way.
func isFile(headers []byte) bool { return bytes.Contains(bytes.ToLower(headers), []byte("filename")) }
