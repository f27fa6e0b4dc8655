package attribution

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Remembered is the content of a visitor's cookie: the source that decides about the numbers, and when the visitor was
// last seen. Visitors can forge it, so it is only compared with the conditions of a plan.
type Remembered struct {
	Source source.Source
	Seen   time.Time // to the second
}

const (
	version = 1
	// maxTexts bounds the texts of a source together, so that the cookie's value stays below 1 KB.
	maxTexts = 720
	// maxCookie bounds a value that is read.
	maxCookie = 1024
)

var errCookie = errors.New("reading a visitor's source: malformed")

// compact cuts the longest texts of a source that is too long for the cookie. The first page already uses the cut
// source, so that it decides in the same way as later.
func compact(s source.Source) source.Source {
	for limit := source.MaxText; length(&s) > maxTexts; limit -= 8 {
		for _, text := range s.Texts() {
			*text = clip.Text(*text, limit)
		}
	}
	return s
}

func length(s *source.Source) (n int) {
	for _, text := range s.Texts() {
		n += len(*text)
	}
	return n
}

// Cookie returns the value of a cookie, of at most 1 KB. It is the base64url of a version, the time in seconds since
// 1970, and the texts of the source, each behind its length. Numbers are varints.
func (r *Remembered) Cookie() string {
	b := []byte{version}
	b = binary.AppendUvarint(b, uint64(max(r.Seen.Unix(), 0)))
	source := compact(r.Source)
	for _, text := range source.Texts() {
		b = binary.AppendUvarint(b, uint64(len(*text)))
		b = append(b, *text...)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCookie reads a cookie's value. Anybody may have written it.
func ParseCookie(value string) (*Remembered, error) {
	if len(value) > maxCookie {
		return nil, errCookie
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil || len(b) == 0 || b[0] != version {
		return nil, errCookie
	}
	seconds, n := binary.Uvarint(b[1:])
	if n <= 0 || seconds > 1<<40 {
		return nil, errCookie
	}
	b = b[1+n:]
	r := &Remembered{Seen: time.Unix(int64(seconds), 0)}
	for _, text := range r.Source.Texts() {
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(min(len(b)-n, source.MaxText)) {
			return nil, errCookie
		}
		*text = string(b[n : n+int(size)])
		b = b[n+int(size):]
		if !utf8.ValidString(*text) {
			return nil, errCookie
		}
	}
	s := &r.Source
	if len(b) > 0 || length(s) > maxTexts || !slices.Contains(source.Kinds, s.Kind) || (s.ClickIDName == "") != (s.ClickID == "") ||
		s.ClickID != "" && !source.IsClickID(s.ClickIDName) {
		return nil, errCookie
	}
	return r, nil
}
