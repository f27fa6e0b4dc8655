package capture

import (
	"bytes"
	"mime"
	"strings"
)

const (
	// maxKept is how much is kept of a body, in bytes; files do not count.
	maxKept = 256 << 10
	// maxPartHeader is how long the headers of a part of a multipart body may be, in bytes.
	maxPartHeader = 8 << 10
	// maxBoundary is how long its boundary may be (RFC 2046, section 5.1.1).
	maxBoundary = 70
)

// Body keeps what of a request's body is to be read as a form, while the body passes. It never
// fails, and holds 256 KB at most, however large the body is: of multipart bodies, files are left
// out as they pass.
type Body struct {
	media, charset string
	kept           []byte
	cut            bool
	parts          *parts // of a multipart body
}

// NewBody returns the body of a request with the header Content-Type; nil for one that is no
// form.
func NewBody(contentType string) *Body {
	media, parameters, err := mime.ParseMediaType(contentType)
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
	case media != "application/x-www-form-urlencoded" && !isJSON(media):
		return nil
	}
	return b
}

func isJSON(media string) bool {
	return media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}

// Write takes the next bytes of the body. It keeps none of p, and the error is always nil.
func (b *Body) Write(p []byte) (int, error) {
	if b.parts == nil {
		b.keep(p)
	} else if !b.cut {
		b.parts.feed(p, b.keep)
	}
	return len(p), nil
}

func (b *Body) keep(p []byte) {
	if room := maxKept - len(b.kept); len(p) > room {
		b.cut = true
		p = p[:room]
	}
	b.kept = append(b.kept, p...)
}

// parts leaves files out of a multipart body (RFC 7578, RFC 2046), of which it keeps the headers
// alone.
type parts struct {
	delimiter []byte // with the line break before it
	buffer    []byte
	pending   []byte // of the buffer, what is not decided yet: a part of a delimiter, or of headers
	seen      int    // of the pending headers, where no end is
	reading   func(*parts, func([]byte)) bool
}

func newParts(boundary string) *parts {
	return &parts{
		delimiter: []byte("\r\n--" + boundary),
		pending:   []byte("\r\n"), // the first delimiter stands at the very beginning
		reading:   (*parts).file,
	}
}

// feed gives what is to be kept to keep.
func (s *parts) feed(p []byte, keep func([]byte)) {
	s.buffer = append(append(s.buffer[:0], s.pending...), p...)
	s.pending = s.buffer
	for s.reading(s, keep) {
	}
}

// value keeps bytes up to the next delimiter.
func (s *parts) value(keep func([]byte)) bool { return s.content(keep) }

// file drops bytes up to the next delimiter, and keeps that.
func (s *parts) file(keep func([]byte)) bool {
	if !s.content(func([]byte) {}) {
		return false
	}
	keep(s.delimiter)
	return true
}

// content gives bytes to take, up to the delimiter and with it. It says whether there is more to be read.
func (s *parts) content(take func([]byte)) bool {
	at := bytes.Index(s.pending, s.delimiter)
	if at < 0 {
		if n := len(s.pending) - len(s.delimiter) + 1; n > 0 { // the rest may be the beginning of one
			take(s.pending[:n])
			s.pending = s.pending[n:]
		}
		return false
	}
	end := at + len(s.delimiter)
	take(s.pending[:end])
	s.pending = s.pending[end:]
	s.reading, s.seen = (*parts).headers, 0
	return true
}

// headers keeps the headers of a part, which tell whether it is a file.
func (s *parts) headers(keep func([]byte)) bool {
	const end = "\r\n\r\n"
	at := bytes.Index(s.pending[s.seen:], []byte(end))
	if at < 0 {
		s.seen = max(0, len(s.pending)-len(end)+1)
		if len(s.pending) > maxPartHeader {
			s.reading = (*parts).nothing
			s.pending = nil
		}
		return false
	}
	n := s.seen + at + len(end)
	headers := s.pending[:n]
	keep(headers)
	if s.reading = (*parts).value; isFile(headers) {
		s.reading = (*parts).file
	}
	s.pending = s.pending[n:]
	return true
}

// nothing drops all that comes.
func (s *parts) nothing(func([]byte)) bool { s.pending = nil; return false }

// isFile tells whether the headers of a part name a file, in whatever way.
func isFile(headers []byte) bool { return bytes.Contains(bytes.ToLower(headers), []byte("filename")) }
